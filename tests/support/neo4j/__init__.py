"""A real Neo4j for tests, in a Java of its own: no Docker, no service to set up."""
