"""The pages, one module a subject: what each reads, and the acts that are made on it."""
