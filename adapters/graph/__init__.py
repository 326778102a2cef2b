"""What edge knows as a graph: read out of episodes, kept, searched."""
