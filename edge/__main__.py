"""``python -m edge`` is ``edge``."""

from edge.cli.main import main

main()
