"""What an install can be set to, in its file and over it, and what is refused before anything runs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from edge.domain.refusal import Misused
from edge.init import initialise
from edge.settings import FILE, Settings, load, written

OLLAMA = "http://localhost:11434/v1"


def install(place: Path, *lines: str) -> Path:
    (place / FILE).write_text("\n".join(('group = "me"', *lines)), "utf-8")
    return place


def refusal(place: Path, *lines: str) -> str:
    with pytest.raises(Misused) as refused:
        load(install(place, *lines), {})
    assert "\n" not in refused.value.message
    assert refused.value.hint
    return refused.value.message


def test_an_install_without_services_needs_none(tmp_path: Path) -> None:
    found = load(install(tmp_path), {})
    assert (found.model, found.embedder, found.graph, found.search) == (None, "hashed", None, "index")
    assert (found.extract_days, found.extract_episodes) == (14, 200)
    assert (found.extract_seconds, found.extract_tokens_per_day) == (30, 1_000_000)


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    whole = Settings(
        tmp_path,
        "me",
        model="openai:qwen3:8b",
        model_url=OLLAMA,
        embedder="openai:nomic-embed-text",
        embedder_url="https://vectors.example/v1",
        graph="neo4j://neo4j@graph.example:7687",
        search="neo4j",
        extract_days=3,
        extract_episodes=5,
        extract_seconds=7,
        extract_tokens_per_day=9,
    )
    for settings in (whole, Settings(tmp_path, "me"), replace(whole, model="claude:sonnet", model_url=None)):
        (tmp_path / FILE).write_text(written(settings), "utf-8")
        assert load(tmp_path, {}) == settings


def test_variables_go_first_and_secrets_come_from_them_alone(tmp_path: Path) -> None:
    install(tmp_path, 'model = "claude"', "[extract]", "days = 3")
    environ = {
        "EDGE_MODEL": "rules",
        "EDGE_EXTRACT_DAYS": "30",
        "EDGE_EXTRACT_TOKENS_PER_DAY": "10",
        "EDGE_MODEL_KEY": "k1",
        "EDGE_EMBEDDER_KEY": "k2",
        "EDGE_GRAPH_PASSWORD": "k3",
    }
    found = load(tmp_path, environ)
    assert (found.model, found.extract_days, found.extract_tokens_per_day) == ("rules", 30, 10)
    assert (found.model_key, found.embedder_key, found.graph_password) == ("k1", "k2", "k3")
    assert not any(key in repr(found) + written(found) for key in ("k1", "k2", "k3"))
    for name in ("model_key", "embedder_key", "graph_password"):
        assert f"no setting {name}" in refusal(tmp_path, f'{name} = "x"')


def test_what_could_never_work_is_refused_when_it_is_read(tmp_path: Path) -> None:
    assert "model is 'gpt'" in refusal(tmp_path, 'model = "gpt"')
    assert "model is 'openai:'" in refusal(tmp_path, 'model = "openai:"')
    assert "needs model_url" in refusal(tmp_path, 'model = "openai:qwen3"')
    assert "embedder is 'glove'" in refusal(tmp_path, 'embedder = "glove"')
    assert "needs embedder_url" in refusal(tmp_path, 'embedder = "openai:e"')
    assert "search is 'lucene'" in refusal(tmp_path, 'search = "lucene"')
    assert "no graph is named" in refusal(tmp_path, 'search = "neo4j"')
    assert "graph is no Neo4j address" in refusal(tmp_path, 'graph = "http://localhost:7474"')
    assert "[extract] days cannot be 0" in refusal(tmp_path, "[extract]", "days = 0")
    assert "no setting [extract] weeks" in refusal(tmp_path, "[extract]", "weeks = 2")
    for url in ("localhost:11434", "ftp://x/v1", "http://", "http://a b/v1", "http://x:port/v1"):
        assert "model_url is no web address" in refusal(tmp_path, f'model_url = "{url}"')


@pytest.mark.parametrize(
    "line",
    [
        'graph = "neo4j://neo4j:s3cret@graph.example"',
        'model_url = "https://s3cret@api.example/v1"',
        'model_url = "https://me:s3cret@api.example/v1"',
        'embedder_url = "https://api.example/v1?key=s3cret"',
    ],
)
def test_a_secret_in_an_address_is_refused_and_not_said(tmp_path: Path, line: str) -> None:
    said = refusal(tmp_path, line)
    assert "edge.toml is no place for" in said
    assert "s3cret" not in said


def test_init_refuses_the_same_and_leaves_nothing(tmp_path: Path) -> None:
    for odd in (
        {"graph": "neo4j://neo4j:s3cret@graph.example"},
        {"model": "gpt"},
        {"log": "esdb://admin:s3cret@log.example"},
    ):
        with pytest.raises(Misused) as refused:
            initialise(Settings(tmp_path / "home", "me", **odd))  # type: ignore[arg-type]
        assert "s3cret" not in refused.value.message
        assert not (tmp_path / "home").exists()


def test_init_writes_services_and_does_not_look_for_them(tmp_path: Path) -> None:
    nowhere = {"graph": "neo4j://neo4j@nowhere.invalid:7687", "model_url": "http://nowhere.invalid/v1"}
    initialise(Settings(tmp_path / "home", "me", model="openai:m", search="neo4j", **nowhere))  # type: ignore[arg-type]
    found = load(tmp_path / "home", {})
    assert (found.model, found.search) == ("openai:m", "neo4j")


def test_the_models_key_goes_to_no_other_server() -> None:
    keyed = Settings(Path(), "me", model_url="https://api.example/v1", model_key="k")
    assert keyed.embedder_at == ("https://api.example/v1", "k")
    same = replace(keyed, embedder_url="https://api.example/other/v1")
    assert same.embedder_at == ("https://api.example/other/v1", "k")
    for url in (OLLAMA, "http://api.example/v1", "https://api.example:8443/v1"):
        assert replace(keyed, embedder_url=url).embedder_at == (url, None)
    assert replace(keyed, embedder_url=OLLAMA, embedder_key="e").embedder_at == (OLLAMA, "e")
    assert replace(keyed, model_url=None, embedder_url=OLLAMA).embedder_at == (OLLAMA, "k")
