"""The wiki's pages in their directory: only edge's own are touched, and only where they changed."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.pages import PageFiles
from edge.domain.refusal import Failed
from edge.ports_wiki import Kept
from edge.settings import Settings
from edge.wiki_words import mark
from tests.support.corpora import Speaker, speak
from tests.support.house import House

INDEX = "index.md"


def page(name: str, text: str = "x") -> str:
    return f"{mark(name)}\n{text}\n"


@pytest.fixture
def files(tmp_path: Path) -> PageFiles:
    return PageFiles(tmp_path / "wiki", mark)


def kept(files: PageFiles, *names: str, text: str = "x", key: str = "k") -> Kept:
    with files.locked():
        return files.keep({name: page(name, text) for name in names}, key)


def standing(root: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(root)): (path.read_bytes(), path.stat().st_ino)
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def test_only_what_changed_is_written_and_what_is_gone_goes(files: PageFiles, tmp_path: Path) -> None:
    assert kept(files, INDEX, "clusters/c-1.md", "artefatos/a.md").changed == [
        *("artefatos/a.md", "clusters/c-1.md", INDEX),
    ]
    before = standing(tmp_path / "wiki")
    assert kept(files, INDEX, "clusters/c-1.md", "artefatos/a.md") == Kept(3, [], [], [])
    after = standing(tmp_path / "wiki")
    assert {n: v for n, v in after.items() if n.endswith(".md")} == {
        n: v for n, v in before.items() if n.endswith(".md")
    }
    assert kept(files, INDEX, "artefatos/a.md") == Kept(2, [], ["clusters/c-1.md"], [])
    assert kept(files, INDEX, text="other") == Kept(1, [INDEX], ["artefatos/a.md"], [])


def test_what_it_was_made_of_is_known_only_once_all_pages_stand(files: PageFiles, tmp_path: Path) -> None:
    assert files.key() is None
    kept(files, INDEX, key="one")
    assert files.key() == "one"
    (tmp_path / "wiki" / "clusters").rmdir()
    (tmp_path / "wiki" / "clusters").write_text("in the way")
    with pytest.raises(Failed, match="not a directory of edge's own"):
        kept(files, INDEX, key="two")
    assert files.key() is None


def test_files_of_the_operator_are_left_alone(files: PageFiles, tmp_path: Path) -> None:
    root = tmp_path / "wiki"
    (root / "clusters").mkdir(parents=True)
    mine = {
        "notes.md": "mine",
        "index.md": "my own index",
        "clusters/copy.md": page("clusters/c-1.md"),  # a page of edge's, taken elsewhere
        "clusters/picture.png": "not a page",
        "clusters/c-2.md": "mine, where edge once had one",
    }
    for name, text in mine.items():
        (root / name).write_text(text)
    assert kept(files, INDEX, "clusters/c-1.md").left == [INDEX]
    kept(files, INDEX)
    assert {name: (root / name).read_text() for name in mine} == mine
    assert not (root / "clusters/c-1.md").exists()


def test_a_page_somebody_edited_is_written_anew_and_one_they_made_their_own_is_not(
    files: PageFiles, tmp_path: Path
) -> None:
    kept(files, INDEX, "direction.md")
    (tmp_path / "wiki" / INDEX).write_text(page(INDEX, "edited"))
    (tmp_path / "wiki" / "direction.md").write_text("now mine")
    assert kept(files, INDEX, "direction.md") == Kept(2, [INDEX], [], ["direction.md"])


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_nothing_outside_is_written_through_a_link(files: PageFiles, tmp_path: Path, link: object) -> None:
    kept(files, INDEX)
    outside = tmp_path / "outside.md"
    outside.write_text(page(INDEX, "theirs"))
    (tmp_path / "wiki" / INDEX).unlink()
    link(outside, tmp_path / "wiki" / INDEX)  # type: ignore[operator]
    assert kept(files, INDEX).left == [INDEX]
    assert outside.read_text() == page(INDEX, "theirs")
    assert kept(files).removed == []


def test_a_directory_that_is_a_link_is_refused(files: PageFiles, tmp_path: Path) -> None:
    kept(files, INDEX)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "wiki" / "clusters").rmdir()
    (tmp_path / "wiki" / "clusters").symlink_to(elsewhere)
    with pytest.raises(Failed):
        kept(files, INDEX, "clusters/c-1.md")
    assert list(elsewhere.iterdir()) == []
    (tmp_path / "wiki").rename(tmp_path / "moved")
    (tmp_path / "wiki").symlink_to(elsewhere)
    with pytest.raises(Failed):
        kept(files, INDEX)
    assert list(elsewhere.iterdir()) == []


def test_what_a_kill_left_half_written_is_swept_up(files: PageFiles, tmp_path: Path) -> None:
    kept(files, INDEX)
    half = tmp_path / "wiki" / "clusters" / ".c-1.md.4242.edge-half"
    half.write_text("half")
    kept(files, INDEX)
    assert not half.exists()


def test_pages_are_nobody_elses_to_read(files: PageFiles, tmp_path: Path) -> None:
    kept(files, INDEX)
    assert (tmp_path / "wiki").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "wiki" / INDEX).stat().st_mode & 0o777 == 0o600


def test_of_many_at_once_each_leaves_all_its_pages_and_no_others(files: PageFiles, tmp_path: Path) -> None:
    root = tmp_path / "wiki"

    def keep(n: int) -> None:
        names = (INDEX, f"clusters/c-{n}.md", "artefatos/a.md")
        kept(PageFiles(root, mark), *names, text=str(n), key=str(n))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(keep, range(40)))
    last = files.key()
    own = {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*.md")}
    expected = (INDEX, f"clusters/c-{last}.md", "artefatos/a.md")
    assert own == {name: page(name, str(last)) for name in expected}


# -- what the pages hold ----------------------------------------------------------------------


class Installed(House):
    """A house whose wiki stands in a directory."""

    def __init__(self, home: Path) -> None:
        super().__init__()
        self.settings = Settings(home, "g")

    def text(self) -> str:
        return "\n".join(path.read_text("utf-8") for path in sorted(self.derived.root.rglob("*.md")))


@pytest.fixture
def house(tmp_path: Path) -> Installed:
    house = Installed(tmp_path)
    speak(house, Speaker(), 12)
    return house


def test_pages_of_clusters_direction_artefatos_and_sources_lead_to_each_other(house: Installed) -> None:
    cluster = house.current().clusters().views(1)[0]
    proposed = {"title": "Cache less", "body": "It hides errors", "kind": "constraint"}
    cites = [{"ref": "https://example.org/a", "kind": "mundo", "relevant": True}]
    house.publish("study", proposes=[proposed], cites=cites, distills=[f"cluster:{cluster.id}", "loose"])
    house.steering.set_({"title": "Tests first", "body": "Always", "kind": "phase"}, None, None)
    opinion = {"ref": "https://example.org/a", "opinion": "says why"}
    house.foreign("source.curated", "source-g.1", actor="operator", **opinion)
    root = house.derived.root
    assert house.derived.wiki().pages == 4 + len(house.current().clusters().views())
    index = (root / "index.md").read_text()
    for target in ("direction.md", "sources.md", f"clusters/{cluster.id}.md", "artefatos/study.md"):
        assert f"]({target})" in index
    assert "](../artefatos/study.md)" in (root / f"clusters/{cluster.id}.md").read_text()
    study = (root / "artefatos/study.md").read_text()
    assert f"](../clusters/{cluster.id}.md)" in study
    assert "loose" in study
    assert "to know why" in study
    direction = (root / "direction.md").read_text()
    assert "Tests first" in direction
    assert "](artefatos/study.md)" in direction
    assert "says why" in (root / "sources.md").read_text()


def test_the_same_log_and_day_give_the_same_bytes(house: Installed, tmp_path: Path) -> None:
    house.derived.wiki()
    again = Installed(tmp_path / "again")
    again.settings.home.mkdir()
    again.__dict__.update(log=house.memory, store=House(house.memory).store)
    again.derived.wiki()
    assert again.text() == house.text()


def test_it_is_looked_at_only_when_something_changed(house: Installed) -> None:
    assert house.derived.follow_with_wiki() is not None
    assert house.derived.follow_with_wiki() is None
    house.voz.comment("says nothing about any page")
    assert house.derived.follow_with_wiki() is None
    house.publish("study")
    changed = house.derived.follow_with_wiki()
    assert changed is not None
    assert changed.changed == ["artefatos/study.md", "index.md"]
    house.hand_clock.move(24)
    assert house.derived.follow_with_wiki() is not None


def test_what_is_forgotten_is_gone_from_it_with_the_next_refresh(house: Installed) -> None:
    house.derived.refresh()
    episodes = house.events("episode.captured")
    assert "topic 0" in house.text()
    for episode in episodes:
        gone = {"to": 10, "permanent": True, "keys": []}
        house.foreign("episode.forgotten", episode.stream, actor="operator", **gone)
    assert house.derived.refresh() is None
    assert "topic 0" not in house.text()
    assert not list((house.derived.root / "clusters").glob("*.md"))


def test_trouble_with_the_wiki_is_noted_and_stops_nobody(house: Installed) -> None:
    (house.settings.home / "wiki").write_text("in the way")
    assert "not a directory" in str(house.derived.refresh())
    assert house.open().briefing.text
    (house.settings.home / "wiki").unlink()
    assert house.derived.refresh() is None


def test_it_speaks_the_operators_language(house: Installed) -> None:
    house.settings = replace(house.settings, lang="pt")
    house.publish("estudo", proposes=[{"title": "Menos cache", "body": "Esconde erros", "kind": "phase"}])
    house.derived.wiki()
    text = house.text()
    for said in ("# Conhecimento", "Porquê", "Definido", "entidades", "Fontes"):
        assert said in text
    for said in ("Knowledge", "Why", "Sources"):
        assert said not in text


def test_names_foreign_writers_chose_make_no_path(house: Installed) -> None:
    data = {"slug": "../../escape", "title": "x", "body": "y"}
    house.foreign("artefato.published", "artefato-g.x", **data)
    house.derived.wiki()
    assert not (house.settings.home.parent / "escape.md").exists()
    assert {path.parent.name for path in house.derived.root.rglob("*.md")} <= {
        "wiki",
        "clusters",
        "artefatos",
    }
