"""The dashboard asked as a browser asks, and attacked as a stranger would."""
