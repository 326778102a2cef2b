"""What an entity can be. Graphiti gives a model the names and descriptions, and takes ids back."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel

KINDS: Final = {
    "Person": "A person by name, or a team.",
    "Project": "A project, product, repository or service somebody works on.",
    "Tool": "A tool, library, framework, language, model or external service that is used.",
    "File": "A file or directory by its path or name.",
    "Code": "Something in code by its identifier: a function, class, module, flag, table or command.",
    "Artefact": "A document, report, decision record, ticket, release or message by its name.",
    "Concept": "A specific idea, rule, metric, format or problem that is worked with by name.",
}
_IDS: Final = {name: number for number, name in enumerate(KINDS, 1)}


def type_id(label: str) -> int:
    """Graphiti's number of a kind; 0, a plain entity, where it is none of them."""
    return _IDS.get(label, 0)


def entity_types() -> dict[str, type[BaseModel]]:
    """The kinds as Graphiti takes them: models without fields, so that no attributes are asked for."""
    return {name: type(name, (BaseModel,), {"__doc__": told}) for name, told in KINDS.items()}
