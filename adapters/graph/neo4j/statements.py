"""What is written into Graphiti's schema, as Cypher: many rows a statement, each safe to repeat.

Nodes are looked up by uuid *and* group: an entity's id is made of its name, so that two groups in
one database may each have one of that id. The hints keep the plan that an empty database would
not suggest. An entity that no episode mentions any more, and that a fact of another episode still
ends at, stays as an ``EdgeGone`` without a word of text: Graphiti sees neither it nor the fact,
and both are whole again once it is mentioned again.
"""

from __future__ import annotations

from typing import Final, LiteralString

EPISODES_WERE: Final = """
UNWIND $uuids AS uuid
MATCH (e:Episodic {uuid: uuid}) USING INDEX e:Episodic(uuid) WHERE e.group_id = $group
RETURN e.uuid AS episode, coalesce(e.entity_edges, []) AS facts, [(e)-[:MENTIONS]->(n) | n.uuid] AS entities
"""

MAKE_EPISODES: Final = """
UNWIND $rows AS row
OPTIONAL MATCH (e:Episodic {uuid: row.uuid}) USING INDEX e:Episodic(uuid) WHERE e.group_id = $group
WITH row, e WHERE e IS NULL
CREATE (:Episodic {uuid: row.uuid, group_id: $group, entity_edges: []})
"""

SET_EPISODES: Final = """
UNWIND $rows AS row
MATCH (e:Episodic {uuid: row.uuid}) USING INDEX e:Episodic(uuid) WHERE e.group_id = $group
SET e += row.props, e.created_at = datetime(row.at), e.valid_at = datetime(row.at)
"""

REVIVE_ENTITIES: Final = """
UNWIND $rows AS row
MATCH (n:EdgeGone {uuid: row.uuid}) USING INDEX n:EdgeGone(uuid) WHERE n.group_id = $group
SET n:Entity REMOVE n:EdgeGone
"""

MAKE_ENTITIES: Final = """
UNWIND $rows AS row
OPTIONAL MATCH (n:Entity {uuid: row.uuid}) USING INDEX n:Entity(uuid) WHERE n.group_id = $group
WITH row, n WHERE n IS NULL
CREATE (:Entity {uuid: row.uuid, group_id: $group})
"""

SET_ENTITIES: Final = """
UNWIND $rows AS row
MATCH (n:Entity {uuid: row.uuid}) USING INDEX n:Entity(uuid) WHERE n.group_id = $group
OPTIONAL MATCH (e:Episodic {uuid: row.first}) USING INDEX e:Episodic(uuid) WHERE e.group_id = $group
WITH n, row, coalesce(e.valid_at, datetime(row.at), datetime({epochMillis: 0})) AS created
SET n = row.props, n.created_at = created
SET n:$(row.labels)
REMOVE n:$([label IN labels(n) WHERE NOT label IN row.labels])
WITH n, row WHERE row.vector IS NOT NULL
CALL db.create.setNodeVectorProperty(n, 'name_embedding', [x IN split(row.vector, ' ') | toFloat(x)])
RETURN count(*)
"""

MENTION: Final = """
UNWIND $rows AS row
MATCH (e:Episodic {uuid: row.episode}) USING INDEX e:Episodic(uuid) WHERE e.group_id = $group
MATCH (n:Entity {uuid: row.entity}) USING INDEX n:Entity(uuid) WHERE n.group_id = $group
MERGE (e)-[m:MENTIONS {uuid: row.uuid}]->(n)
SET m.group_id = $group, m.created_at = e.valid_at
"""

UNMENTION: Final = """
UNWIND $rows AS row
MATCH (e:Episodic {uuid: row.episode}) USING INDEX e:Episodic(uuid) WHERE e.group_id = $group
MATCH (e)-[m:MENTIONS {uuid: row.uuid}]->()
DELETE m
"""

UNMENTION_ENTITIES: Final = """
UNWIND $uuids AS uuid
MATCH (n:Entity {uuid: uuid}) USING INDEX n:Entity(uuid) WHERE n.group_id = $group
MATCH (n)<-[m:MENTIONS]-()
DELETE m
"""

# An entity nobody mentions: gone, or a nameless end of the facts that still need one.

FADE_ENTITIES: Final = """
UNWIND $uuids AS uuid
MATCH (n:Entity {uuid: uuid}) USING INDEX n:Entity(uuid)
WHERE n.group_id = $group AND NOT EXISTS { (n)<-[:MENTIONS]-() } AND EXISTS { (n)-[:RELATES_TO]-() }
SET n = {uuid: uuid, group_id: $group}, n:EdgeGone
REMOVE n:$([label IN labels(n) WHERE label <> 'EdgeGone'])
"""

DROP_ENTITIES: Final = """
UNWIND $uuids AS uuid
MATCH (n:Entity {uuid: uuid}) USING INDEX n:Entity(uuid)
WHERE n.group_id = $group AND NOT EXISTS { (n)<-[:MENTIONS]-() }
DETACH DELETE n
"""

DROP_ENDS: Final = """
UNWIND $uuids AS uuid
MATCH (n:EdgeGone {uuid: uuid}) USING INDEX n:EdgeGone(uuid)
WHERE n.group_id = $group AND NOT EXISTS { (n)-[:RELATES_TO]-() }
DETACH DELETE n
"""

# A fact is replaced whole: another first episode may have given it other words and ends.

DELETE_FACTS: Final = """
UNWIND $uuids AS uuid
MATCH (a)-[r:RELATES_TO {uuid: uuid}]->(b) USING INDEX r:RELATES_TO(uuid) WHERE r.group_id = $group
WITH r, a.uuid AS source, b.uuid AS target
DELETE r
RETURN source, target
"""

MAKE_ENDS: Final = """
UNWIND $uuids AS uuid
OPTIONAL MATCH (n:Entity {uuid: uuid}) USING INDEX n:Entity(uuid) WHERE n.group_id = $group
OPTIONAL MATCH (g:EdgeGone {uuid: uuid}) USING INDEX g:EdgeGone(uuid) WHERE g.group_id = $group
WITH uuid, n, g WHERE n IS NULL AND g IS NULL
CREATE (:EdgeGone {uuid: uuid, group_id: $group})
"""

MAKE_FACTS: Final = """
UNWIND $rows AS row
OPTIONAL MATCH (a:Entity {uuid: row.source}) USING INDEX a:Entity(uuid) WHERE a.group_id = $group
OPTIONAL MATCH (ga:EdgeGone {uuid: row.source}) USING INDEX ga:EdgeGone(uuid) WHERE ga.group_id = $group
OPTIONAL MATCH (b:Entity {uuid: row.target}) USING INDEX b:Entity(uuid) WHERE b.group_id = $group
OPTIONAL MATCH (gb:EdgeGone {uuid: row.target}) USING INDEX gb:EdgeGone(uuid) WHERE gb.group_id = $group
OPTIONAL MATCH (e:Episodic {uuid: row.first}) USING INDEX e:Episodic(uuid) WHERE e.group_id = $group
WITH row, coalesce(a, ga) AS source, coalesce(b, gb) AS target,
     coalesce(e.valid_at, datetime(row.at), datetime({epochMillis: 0})) AS created
CREATE (source)-[r:RELATES_TO]->(target)
SET r = row.props, r.created_at = created, r.valid_at = datetime(row.times[0]),
    r.invalid_at = datetime(row.times[1]), r.expired_at = datetime(row.times[2]),
    r.reference_time = datetime(row.times[3])
WITH r, row WHERE row.vector IS NOT NULL
CALL db.create.setRelationshipVectorProperty(r, 'fact_embedding', [x IN split(row.vector, ' ') | toFloat(x)])
RETURN count(*)
"""

SET_EPISODE_FACTS: Final = """
UNWIND $rows AS row
MATCH (e:Episodic {uuid: row.uuid}) USING INDEX e:Episodic(uuid) WHERE e.group_id = $group
SET e.entity_edges = row.facts
"""

# An episode that is gone takes its mentions with it, and its support from its facts.

DROP_EPISODES: Final = """
UNWIND $uuids AS uuid
MATCH (e:Episodic {uuid: uuid}) USING INDEX e:Episodic(uuid) WHERE e.group_id = $group
WITH e, coalesce(e.entity_edges, []) AS facts, [(e)-[:MENTIONS]->(n) | n.uuid] AS entities
DETACH DELETE e
RETURN facts, entities
"""

WITHDRAW: Final = """
UNWIND $facts AS uuid
MATCH ()-[r:RELATES_TO {uuid: uuid}]->() USING INDEX r:RELATES_TO(uuid) WHERE r.group_id = $group
SET r.episodes = [id IN r.episodes WHERE NOT id IN $uuids]
WITH r WHERE size(r.episodes) = 0
RETURN r.uuid AS uuid
"""

# -- the group of what is curated is small and set as a whole -----------------------------------

KEEP_ONLY_FACTS: Final = """
MATCH ()-[r:RELATES_TO {group_id: $group}]->() WHERE NOT r.uuid IN $uuids DELETE r
"""

KEEP_ONLY_ENTITIES: Final = """
MATCH (n:Entity {group_id: $group}) WHERE NOT n.uuid IN $uuids DETACH DELETE n
"""

# -- all of a group -----------------------------------------------------------------------------

LABELS: Final = ("Episodic", "Entity", "Community", "Saga", "EdgeGone")


def drop(label: str) -> LiteralString:
    """Take away some of a group's nodes of one of :data:`LABELS`; how many there were."""
    assert label in LABELS
    query = f"MATCH (n:{label}) WHERE n.group_id IN $groups WITH n LIMIT $limit DETACH DELETE n"
    return f"{query} RETURN count(*) AS dropped"
