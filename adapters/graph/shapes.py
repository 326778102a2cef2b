"""What a piece of text between spaces names by its shape alone: a file, a piece of code, a site.

Everything here looks at one bounded token and knows nothing of the sentence around it.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple

from adapters.graph.lexicon import (
    ACRONYMS,
    COMMANDS,
    COMMON,
    EXTENSIONS,
    KEYWORDS,
    SHELL,
    TECHNOLOGIES,
)
from edge.domain.language import fold

MAX_NAME: Final = 60

_LINES: Final = re.compile(r"(?:#L|:)\d{1,6}(?:[-:,]L?\d{1,6})*$")
_NUMBER: Final = re.compile(r"[v~<>=^≈]?\d[\d.,:/x%_-]*[A-Za-z%°º]{0,4}$")
_HEX: Final = re.compile(r"(?:0x)?[0-9a-fA-F]{6,}$|[0-9a-fA-F]{4,}(?:-[0-9a-fA-F]{2,}){2,}$")
_STEM: Final = re.compile(r"[\w.@()+~-]{1,80}$")
_PATH: Final = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?[\\/]?(?:[\w.@()+-]+[\\/])*[\w.@()+-]*$")
_SNAKE: Final = re.compile(r"_{0,2}[A-Za-z][A-Za-z0-9]*(?:_[A-Za-z0-9]+)+_{0,2}$")
_CAMEL: Final = re.compile(r"[a-z][a-z0-9]*[A-Z][A-Za-z0-9]*$")
_PASCAL: Final = re.compile(r"[A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+$")
_DOTTED: Final = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+$")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_][\w.:-]*$")
_CALL: Final = re.compile(r"([\w.:@~-]{1,80})\(.{0,80}\)$")
_VERSIONED: Final = re.compile(r"(@?[\w./-]{2,50})(?:==|>=|~=|@)\^?\d[\w.]*$")
_HOST: Final = re.compile(r"(?:[\w-]{1,63}\.)+[A-Za-z]{2,24}$")
_DOMAINS: Final = frozenset("com org net io dev app ai pt br eu uk de co gov edu me sh tech cloud".split())
_NO_HOST: Final = ("localhost", "example", "127.", "0.0.0.0", "www.w3.org", "schemas.", "schema.")  # noqa: S104
_BARE_FILES: Final = frozenset("dockerfile makefile jenkinsfile procfile gemfile rakefile justfile".split())
_INSTALLERS: Final = frozenset(
    "pip pip3 pipx uv npm pnpm yarn bun cargo go brew apt apt-get gem conda poetry".split()
)
_INSTALLS: Final = frozenset("install add i get".split())
_RUNNERS: Final = frozenset("make just npm pnpm yarn poetry".split())


class Shaped(NamedTuple):
    """What a token names: ``path`` is a file's whole path where one stood there."""

    name: str
    label: str
    kind: str
    """``tech``, ``file``, ``code``, ``site`` or ``plain`` (a small word in backticks)."""
    path: str = ""


def is_noise(word: str) -> bool:
    """Whether a token is a number, a hash, a flag, a secret's placeholder or an encoding."""
    if word.isalpha():
        return len(word) > 40
    if (
        len(word) > 100
        or word[0] in "-$%["
        or word[:5] in ("Ctrl-", "Ctrl+", "Shift")
        or _NUMBER.match(word)
        or _HEX.match(word)
    ):
        return True
    if len(word) < 16 or "_" in word or "." in word or "/" in word:
        return False
    return sum(c.isdigit() for c in word) >= 3 and word.lower() != word != word.upper()


def technology(word: str) -> Shaped | None:
    shown = TECHNOLOGIES.get(word.casefold())
    return Shaped(shown, "Tool", "tech") if shown else None


@lru_cache(maxsize=8192)
def bare(word: str) -> Shaped | None:
    """What a token in running text names."""
    if word.isalpha() and word[1:].islower():
        return technology(word)  # the most of a text
    if is_noise(word) or "=" in word or ("@" in word and not word.startswith("@")):
        return None
    if word.startswith("@"):
        return Shaped(word, "Tool", "code") if re.match(r"@[a-z][\w-]*/[\w.-]+$", word) else None
    return technology(word) or _file(word, quoted=False) or _host(word) or _code(word)


def in_backticks(text: str) -> list[Shaped]:
    """What the text between two backticks names: mostly one thing, of an install all packages."""
    text = text.strip().removeprefix("$ ")
    if not text or len(text) > 100:
        return []
    if any(c.isspace() for c in text):
        call = _CALL.match(text)
        return in_backticks(call[1]) if call else _command(text.split())
    call = _CALL.match(text)
    text = call[1] if call else text
    versioned = _VERSIONED.match(text)
    if versioned:
        return [technology(versioned[1]) or Shaped(versioned[1], "Tool", "code")]
    if is_noise(text) or any(c in "{}[]<>=;$\"'|*#,!?" for c in text):
        return []
    found = technology(text) or _file(text, quoted=True) or _host(text) or _code(text)
    if found:
        return [found]
    folded = fold(text)
    if folded in KEYWORDS or folded in ACRONYMS or folded in SHELL:
        return []
    if folded in COMMANDS:
        return [Shaped(text, "Tool", "tech")]
    if text.isalpha() and (text.islower() or folded in COMMON):
        return [Shaped(text, "Code", "plain")] if len(folded) > 2 else []
    if _IDENTIFIER.match(text) and text[-1] != ":":
        return [Shaped(text, "Code", "code")]
    return []


def url(text: str) -> Shaped | None:
    """The host of a URL."""
    rest = text.split("://", 1)[1]
    host = re.split(r"[/?#:\\]", rest.rsplit("@", 1)[-1] if "@" in rest[:80] else rest, maxsplit=1)[0]
    return _host(host.removeprefix("www.").rstrip(".,;"))


def _host(word: str) -> Shaped | None:
    low = word.casefold()
    if not _HOST.match(low) or low.rsplit(".", 1)[1] not in _DOMAINS or any(no in low for no in _NO_HOST):
        return None
    if low.count(".") == 1 and low != word:
        return None  # Object.me is code, or two sentences
    return Shaped(low, "Tool", "site")


def _file(word: str, *, quoted: bool) -> Shaped | None:
    path = _LINES.sub("", word)
    parts = [p for p in re.split(r"[\\/]", path) if p not in ("", ".", "..", "~")]
    if not parts or not _PATH.match(path):
        return None
    base = parts[-1]
    stem, dot, extension = base.rpartition(".")
    is_path = "/" in path or "\\" in path
    if dot and _STEM.match(base) and extension.lower() in EXTENSIONS:
        odd = stem in ("console", "process", "self", "this", "window", "p", "i", "e")
        if not odd and (stem or extension) and (len(extension) > 2 or len(stem) > 1 or is_path):
            return Shaped(base, "File", "file", "/".join(parts))
        return None
    if base.casefold() in _BARE_FILES and base[0].isupper():
        return Shaped(base, "File", "file", "/".join(parts))
    if not is_path or any(p.casefold() in ("users", "home", "tmp") for p in parts[:1]):
        return None
    if path[-1] in "/\\" or path.startswith(("./", "../", "~/")) or path.count("/") > 2:
        if not quoted and not path.startswith(("./", "../", "~/", "/")) and "/" not in path[:-1]:
            return None
        return Shaped("/".join(parts[-2:]) + "/", "File", "file")
    if quoted and len(parts) > 1 and path[0] != "/" and not all(p in KEYWORDS for p in parts):
        return Shaped(path, "Code", "code")  # a branch, a repository, a package
    return None


def _code(word: str) -> Shaped | None:
    word = word.removeprefix("self.").removeprefix("this.")
    if len(word) > MAX_NAME or len(word) < 4 or word.casefold() in ACRONYMS:
        return None
    if _DOTTED.match(word):
        parts = re.split(r"\.|::", word)
        telling = any(_CAMEL.match(p) or _PASCAL.match(p) or _SNAKE.match(p) for p in parts)
        return Shaped(word, "Code", "code") if telling and parts[0] not in ("console", "process") else None
    if _SNAKE.match(word) or _CAMEL.match(word) or _PASCAL.match(word):
        return Shaped(word, "Code", "code")
    return None


def _command(words: list[str]) -> list[Shaped]:
    """What a command line in backticks names: the packages it installs, the script it runs, its program."""
    if words[0] == "sudo":
        words = words[1:]
    if len(words) < 2 or not re.match(r"[a-z][\w.-]*$", words[0]) or words[0] in SHELL:
        return []
    program, plain = words[0], [w for w in words[1:] if not w.startswith("-")]
    if program in COMMANDS:
        if program in _INSTALLERS and plain and plain[0] in _INSTALLS:
            packages = [in_backticks(w) for w in plain[1:8] if "/" not in w or w.startswith("@")]
            named = [shaped for each in packages for shaped in each if shaped.kind != "file"]
            return [s._replace(label="Tool", kind=s.kind.replace("plain", "code")) for s in named]
        if program in _RUNNERS and len(plain) > (program != "make"):
            return [
                Shaped(" ".join([program, *plain[: 1 + (program not in ("make", "just"))]]), "Tool", "code")
            ]
        scripts = [f for w in plain[:2] if (f := _file(w, quoted=False)) and f.path]
        return [*scripts, *filter(None, (technology(program),))]
    if program in KEYWORDS or program in COMMON or len(words) > 5:
        return []
    if plain and re.match(r"[a-z][a-z-]{2,20}$", plain[0]) and len(program) > 2:
        return [Shaped(f"{program} {plain[0]}", "Tool", "code")]
    return []
