"""The dashboard: the operator's private Voz rail in a browser, over a handed-in install."""
