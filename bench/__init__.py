"""What edge promises to cost, measured beside a floor and a peer: ``python -m bench``."""
