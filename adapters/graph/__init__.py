"""Extraction by Graphiti on an index in process: what it would write becomes one value."""
