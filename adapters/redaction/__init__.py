"""Takes secrets out of text before it can be stored."""
