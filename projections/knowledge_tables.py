"""The tables of knowledge: those that are a fold of the log, and those of this host beside them."""

from __future__ import annotations

from typing import Final

TABLES: Final[dict[str, str]] = {
    "knowledge_episodes": """
        CREATE TABLE knowledge_episodes (
            id TEXT PRIMARY KEY, stream TEXT NOT NULL, session TEXT NOT NULL, project TEXT, at TEXT NOT NULL,
            "from" INTEGER NOT NULL, "to" INTEGER NOT NULL, presence TEXT NOT NULL, state TEXT NOT NULL,
            extraction TEXT NOT NULL, extracted INTEGER NOT NULL, gist TEXT NOT NULL, costs TEXT NOT NULL,
            changed INTEGER NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX knowledge_episodes_stream ON knowledge_episodes (stream);
        CREATE INDEX knowledge_episodes_changed ON knowledge_episodes (changed);
        CREATE INDEX knowledge_episodes_at ON knowledge_episodes (at, id, changed, extracted, state, presence)
            WHERE extracted > 0;
    """,
    "knowledge_contributions": """
        CREATE TABLE knowledge_contributions (
            owner TEXT NOT NULL, episode TEXT NOT NULL, kind TEXT NOT NULL, position INTEGER NOT NULL,
            supports INTEGER NOT NULL, doc TEXT NOT NULL, PRIMARY KEY (owner, episode)
        ) WITHOUT ROWID;
        CREATE INDEX knowledge_contributions_episode ON knowledge_contributions (episode);
    """,
    "knowledge_entities": """
        CREATE TABLE knowledge_entities (
            id TEXT PRIMARY KEY, episodes INTEGER NOT NULL, first INTEGER NOT NULL, doc TEXT NOT NULL
        ) WITHOUT ROWID;
    """,
    "knowledge_facts": """
        CREATE TABLE knowledge_facts (
            num INTEGER PRIMARY KEY, id TEXT NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL,
            words_hash TEXT NOT NULL, tier TEXT NOT NULL, words TEXT NOT NULL, episodes INTEGER NOT NULL,
            first INTEGER NOT NULL, doc TEXT NOT NULL
        );
        CREATE UNIQUE INDEX knowledge_facts_id ON knowledge_facts (id);
        CREATE INDEX knowledge_facts_source ON knowledge_facts (source);
        CREATE INDEX knowledge_facts_target ON knowledge_facts (target);
        CREATE INDEX knowledge_facts_words ON knowledge_facts (words_hash);
        CREATE INDEX knowledge_facts_tier ON knowledge_facts (tier, episodes);
    """,
    "knowledge_curations": """
        CREATE TABLE knowledge_curations (
            id TEXT PRIMARY KEY, words TEXT NOT NULL, about TEXT NOT NULL, "into" TEXT NOT NULL,
            position INTEGER NOT NULL, doc TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX knowledge_curations_words ON knowledge_curations (words);
        CREATE INDEX knowledge_curations_about ON knowledge_curations (about);
        CREATE INDEX knowledge_curations_into ON knowledge_curations ("into");
    """,
    "knowledge_costs": """
        CREATE TABLE knowledge_costs (
            day TEXT NOT NULL, model TEXT NOT NULL, episodes INTEGER NOT NULL, calls INTEGER NOT NULL,
            tokens INTEGER NOT NULL, ms INTEGER NOT NULL, PRIMARY KEY (day, model)
        ) WITHOUT ROWID;
    """,
    "knowledge_words": """
        CREATE TABLE knowledge_words (num INTEGER PRIMARY KEY, words TEXT NOT NULL);
    """,
    # Accents are folded, so that "decisao" finds "decisão". What is deleted is overwritten, since
    # forgotten words must not stay behind in the index's pages.
    "knowledge_fts": """
        CREATE VIRTUAL TABLE knowledge_fts USING fts5 (
            words, content = 'knowledge_words', content_rowid = 'num',
            tokenize = 'unicode61 remove_diacritics 2'
        );
        INSERT INTO knowledge_fts (knowledge_fts, rank) VALUES ('secure-delete', 1);
    """,
}

BESIDE: Final[dict[str, str]] = {
    # What changed last when, the gone too, for what is kept elsewhere to follow.
    "knowledge_changes": """
        CREATE TABLE IF NOT EXISTS knowledge_changes (
            id TEXT NOT NULL, kind TEXT NOT NULL, changed INTEGER NOT NULL, PRIMARY KEY (id, kind)
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS knowledge_changes_changed ON knowledge_changes (kind, changed);
        CREATE INDEX IF NOT EXISTS knowledge_changes_last ON knowledge_changes (changed);
    """,
    "knowledge_vectors": """
        CREATE TABLE IF NOT EXISTS knowledge_vectors (
            owner TEXT PRIMARY KEY, embedder TEXT NOT NULL, vector BLOB NOT NULL
        ) WITHOUT ROWID;
    """,
    # Clusters as they were last computed, ids only, and what they were computed of.
    "knowledge_clusters": """
        CREATE TABLE IF NOT EXISTS knowledge_clusters (
            id TEXT PRIMARY KEY, place INTEGER NOT NULL, doc TEXT NOT NULL
        ) WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS knowledge_clusters_place ON knowledge_clusters (place);
    """,
    "knowledge_clusters_of": """
        CREATE TABLE IF NOT EXISTS knowledge_clusters_of (one INTEGER PRIMARY KEY, key TEXT NOT NULL);
    """,
    # What a model wrote of a cluster, by the cluster's content; empty where it could not.
    "knowledge_summaries": """
        CREATE TABLE IF NOT EXISTS knowledge_summaries (
            content TEXT PRIMARY KEY, model TEXT NOT NULL, summary TEXT NOT NULL
        ) WITHOUT ROWID;
    """,
    # Episodes that could not be extracted: how often, until when they rest, and why.
    "knowledge_troubles": """
        CREATE TABLE IF NOT EXISTS knowledge_troubles (
            episode TEXT PRIMARY KEY, attempts INTEGER NOT NULL, until TEXT NOT NULL, error TEXT NOT NULL
        ) WITHOUT ROWID;
    """,
}
"""No fold of the log: losing them costs time only. A rebuild keeps them."""
