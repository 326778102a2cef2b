"""Models that only play: a program called ``claude``, and a server of the OpenAI-shaped API."""
