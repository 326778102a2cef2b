"""Which entities belong together, which are left out, and what a cluster is called."""

from __future__ import annotations

from collections.abc import Sequence

from edge.domain.clusters import (
    HUB_NEIGHBOURS,
    Cluster,
    Named,
    Stated,
    cluster_id,
    clustered,
)

LONG_AGO, NOW = "2026-05-01T08:00:00Z", "2026-11-01T08:00:00Z"


def told(*pairs: str, tier: str = "hypothesis", support: int = 1, last: str = NOW) -> list[Stated]:
    """A fact for each pair, written ``one-other``."""
    ends = [pair.split("-") for pair in pairs]
    return [Stated(f"{a}>{b}", a, b, tier, support, last) for a, b in ends]


def found(
    facts: Sequence[Stated],
    merged: dict[str, str] | None = None,
    projects: Sequence[str] = (),
    names: dict[str, str] | None = None,
) -> list[Cluster]:
    """Clusters of entities that are called what their ids are, first spoken of in the facts' order."""
    ids = dict.fromkeys(id_ for fact in facts for id_ in (fact.source, fact.target))
    entities = [Named(id_, (names or {}).get(id_, id_), first) for first, id_ in enumerate(ids)]
    return clustered(entities, facts, merged or {}, projects)


def members(clusters: Sequence[Cluster]) -> list[set[str]]:
    return sorted((set(c.entities) for c in clusters), key=sorted)


def triangle(*names: str) -> list[Stated]:
    a, b, c = names
    return told(f"{a}-{b}", f"{b}-{c}", f"{a}-{c}")


def test_what_facts_hold_together_is_a_cluster_and_a_lone_bridge_joins_nothing() -> None:
    facts = triangle("queue", "redis", "worker") + triangle("page", "css", "font") + told("worker-page")
    assert members(found(facts)) == [{"css", "font", "page"}, {"queue", "redis", "worker"}]


def test_nothing_known_and_nothing_between_two_entities_make_no_cluster() -> None:
    assert found([]) == []
    assert found(told("redis-redis")) == []


def test_who_speaks_and_the_project_itself_are_hubs_whatever_they_touch() -> None:
    facts = triangle("a", "b", "c") + triangle("x", "y", "z")
    facts += told("a-courier", "x-courier", "b-Operator", "y-Operator", "lonely-courier")
    clusters = found(facts, projects=["Courier"])
    assert members(clusters) == [{"a", "b", "c"}, {"x", "y", "z"}]
    assert all(set(c.hubs) == {"courier", "Operator"} for c in clusters)
    assert all({"courier", "Operator", "lonely"}.isdisjoint(c.entities) for c in clusters)


def test_what_touches_too_much_is_a_hub_and_its_facts_are_told_where_they_lead() -> None:
    facts = triangle("a", "b", "c")
    facts += told(*(f"git-n{n}" for n in range(HUB_NEIGHBOURS)), "git-a")
    (cluster,) = found(facts)
    assert set(cluster.entities) == {"a", "b", "c"}
    assert cluster.hubs == ("git",)
    assert "git>a" in cluster.facts


def test_what_touches_as_many_as_it_may_is_none() -> None:
    (cluster,) = found(told(*(f"git-n{n}" for n in range(HUB_NEIGHBOURS))))
    assert "git" in cluster.entities


def test_merged_entities_count_as_one_through_any_number_of_merges() -> None:
    facts = told("pg-queue", "postgres-worker", "postgresql-page", "queue-postgresql")
    (cluster,) = found(facts, merged={"pg": "postgres", "postgres": "postgresql"})
    assert set(cluster.entities) == {"postgresql", "queue", "worker", "page"}
    assert "pg" not in cluster.entities


def test_merges_that_go_in_a_circle_or_into_nothing_leave_everything_where_it_is() -> None:
    assert len(found(told("a-b"), merged={"a": "gone"})[0].entities) == 2
    assert found(told("a-b"), merged={"a": "b", "b": "a"}) == []
    (cluster,) = found(told("x-c", "b-c"), merged={"x": "a", "a": "b", "b": "a"})
    assert set(cluster.entities) == {"b", "c"}


def test_a_fact_more_episodes_support_weighs_more() -> None:
    facts = [*told("a-b", support=9), *told("b-c"), *told("c-d", support=9)]
    assert members(found(facts)) == [{"a", "b"}, {"c", "d"}]
    (cluster,) = found([*told("a-b"), *told("a-c", support=5)])
    assert cluster.facts[0] == "a>c"


def test_a_newer_fact_weighs_more_and_a_contested_one_less() -> None:
    (cluster,) = found([*told("a-b", last=LONG_AGO), *told("a-c")])
    assert cluster.facts == ("a>c", "a>b")
    (cluster,) = found([*told("a-b", tier="contested"), *told("a-c")])
    assert cluster.facts == ("a>c", "a>b")


def test_what_was_spoken_of_lately_comes_first() -> None:
    facts = [*told("old-older", "older-oldest", last=LONG_AGO, support=9), *told("new-newer")]
    assert [c.entities[0] for c in found(facts)] == ["new", "older"]


def test_a_cluster_keeps_its_id_while_its_first_core_entity_leads_it() -> None:
    before = triangle("queue", "redis", "worker")
    (cluster,) = found(before)
    assert cluster.id == cluster_id("queue")
    grown = before + told("worker-retry", "redis-retry", "worker-backoff", "redis-backoff", "retry-backoff")
    (after,) = found(grown)
    assert after.entities[0] != "queue"
    assert after.id == cluster.id


def test_a_label_names_what_tells_most_and_nothing_twice() -> None:
    names = {"a": "Redis", "b": "redis", "c": "src/queue/worker.py", "d": "Retry"}
    (cluster,) = found(told("a-b", "a-c", "b-c", "c-d", "a-d"), names=names)
    assert [names[id_] for id_ in cluster.telling] == ["Redis", "Retry", "src/queue/worker.py"]


def test_a_fact_is_told_in_one_cluster_and_leads_to_the_other() -> None:
    facts = triangle("queue", "redis", "worker") + triangle("page", "css", "font") + told("worker-page")
    one, other = sorted(found(facts), key=lambda c: "worker>page" not in c.facts)
    assert "worker>page" not in other.facts
    assert (one.related, other.related) == ((other.id,), (one.id,))


def test_more_than_a_person_looks_through_is_divided_further() -> None:
    """Ten rings of ten, each held to the next: by modularity alone some of them would be one."""
    facts = [
        fact for ring in range(10) for n in range(10) for fact in told(f"{ring}.{n}-{ring}.{(n + 1) % 10}")
    ]
    facts += [fact for ring in range(9) for fact in told(f"{ring}.0-{ring + 1}.0")]
    clusters = found(facts)
    assert max(len(c.entities) for c in clusters) <= 40
    assert sum(len(c.entities) for c in clusters) == 100
