"""The JSON types and character sets that folds rely on, field by field.

An import takes broken histories: a field may be missing, a value may lie outside its list.
What it does not take is a field of another JSON type, or an id no stream can be named after.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from edge.domain.events import Data
from edge.domain.refusal import Refused
from edge.domain.streams import check_act_id, check_item_id, check_slug

_INT64: Final = 2**63
_SHOWN: Final = 60


def checked(type_: str, data: Data) -> Data:
    """The data with its numbers made whole; Refused names the field that cannot be."""
    fields = _FIELDS
    if type_.startswith(("direction.", "knowledge.")):
        fields = {**_FIELDS, "id": _item}
    elif type_.startswith("episode."):
        fields = {"from": _number, "to": _number}  # the rest the catalogue checks
    out = dict(data)
    for name, value in data.items():
        check = fields.get(name)
        if check is not None and value is not None:
            out[name] = check(name, value)
    return out


def whole(value: Any) -> int | None:
    """A JSON number without a fraction; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) else None


def shown(value: Any) -> str:
    """A value as a refusal names it."""
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 1] + "…"


def _wrong(name: str, value: Any, wanted: str) -> Refused:
    return Refused(f"{name} {shown(value)} is not {wanted}")


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise _wrong(name, value, "text")
    return value


def _id(name: str, value: Any, check: Callable[[object, str], str]) -> str:
    if not isinstance(value, str):
        raise _wrong(name, value, "an id")
    try:
        return check(value, name) if value else value  # an empty id is a missing one
    except Refused as refusal:
        raise Refused(f"{name} {shown(value)} is not a valid id", hint=refusal.hint) from None


def act_id(name: str, value: Any) -> str:
    """The id of an act, a run or a dispatch."""
    return _id(name, value, check_act_id)


def _item(name: str, value: Any) -> str:
    return _id(name, value, check_item_id)


def _slug(name: str, value: Any) -> str:
    return _id(name, value, lambda found, _: check_slug(found))


def _number(name: str, value: Any) -> int:
    number = whole(value)
    if number is None:
        raise _wrong(name, value, "a whole number")
    if not -_INT64 <= number < _INT64:
        raise _wrong(name, value, "a number of 64 bits")
    return number


def _harm(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _wrong(name, value, "a number")
    return round(min(max(value, 0), 100))


def _count(name: str, value: Any) -> Any:
    return value if isinstance(value, list) else _number(name, value)


def _texts(name: str, value: Any) -> Any:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise _wrong(name, value, "a list of texts")
    return value


def _records(name: str, value: Any) -> Any:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise _wrong(name, value, "a list of objects")
    return value


def _record(name: str, value: Any) -> Any:
    if not isinstance(value, dict):
        raise _wrong(name, value, "an object")
    return value


def _proposes(name: str, value: Any) -> Any:
    for proposal in _records(name, value):
        for field in ("title", "body", "kind"):
            if proposal.get(field) is not None:
                _text(f"{name}.{field}", proposal[field])
    return value


_FIELDS: Final[dict[str, Callable[[str, Any], Any]]] = {
    **dict.fromkeys(
        "comment_id vote_id clarify_id grill_run_id run_id dispatch_id origin_comment_id".split(), act_id
    ),
    **dict.fromkeys("slug target_ref from_artefato".split(), _slug),
    **dict.fromkeys("direction_id supersedes into".split(), _item),
    **dict.fromkeys(
        "body text channel by question outcome state reason ref title kind expires_at intent theme origin"
        " opinion statement now mode decision stream plan_hash result".split(),
        _text,
    ),
    **dict.fromkeys("value basis cursor position".split(), _number),
    **dict.fromkeys("overflow awaiting".split(), _count),
    **dict.fromkeys("answers relates_to distills evidence published receipts".split(), _texts),
    **dict.fromkeys("options cites loaded agenda events items".split(), _records),
    **dict.fromkeys("reply_capability caps curate counts".split(), _record),
    "proposes": _proposes,
    "harm": _harm,
}
