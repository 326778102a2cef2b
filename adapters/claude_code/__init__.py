"""Claude Code's own files: its settings, edited in place, and the skills beside them."""
