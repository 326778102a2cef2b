"""The knowledge graph outside: in process for extraction, in Neo4j for who looks at it."""
