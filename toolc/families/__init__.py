"""Which operations may become one tool: families, found by resource path, by verb and noun, or by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from toolc.families.member import RELATIONS as RELATIONS
from toolc.families.member import Family as Family
from toolc.families.member import Member as Member
from toolc.families.member import unique, without
from toolc.families.nouns import by_noun, reading
from toolc.families.paths import by_path
from toolc.ir import HttpCall, Operation, SqlCall
from toolc.lexicon import Lexicon, words


def find(
    operations: Sequence[Operation], lexicon: Lexicon, by_hand: Mapping[str, Sequence[str]] | None = None
) -> list[Family]:
    """The families of one source's operations, in the order of their keys; those by hand (label → ids) first."""
    taken: dict[str, str] = {}
    for label, ids in (by_hand or {}).items():
        for operation_id in ids:
            taken.setdefault(operation_id, label)
    declared = [
        _declared(label, [operation for operation in operations if taken.get(operation.id) == label], lexicon)
        for label in (by_hand or {})
    ]
    rest = [operation for operation in operations if operation.id not in taken]
    http = [operation for operation in rest if isinstance(operation.call, HttpCall)]
    named = [operation for operation in rest if not isinstance(operation.call, HttpCall | SqlCall)]
    found = [*by_path(http, lexicon), *by_noun(named, lexicon)]
    return [family for family in declared if family.members] + sorted(found, key=lambda family: family.key)


def _declared(label: str, operations: list[Operation], lexicon: Lexicon) -> Family:
    nouns = tuple(words(label))
    members = tuple(_by_whole_name(operation, nouns, lexicon) for operation in operations)
    source = operations[0].source if operations else ""
    return Family(source, ("", label), (label,), members)


def _by_whole_name(operation: Operation, nouns: tuple[str, ...], lexicon: Lexicon) -> Member:
    """A member whose action says all of its name beyond the label: what is put together by hand may differ in nouns."""
    parts = words(operation.name.rpartition("/")[2])
    found = lexicon.first(parts)
    if found is None:
        return reading(operation, nouns, lexicon)
    rest = without((*parts[: found.start], *parts[found.stop :]), (*nouns, *RELATIONS), lexicon)
    spoken = found.verb.name if isinstance(operation.call, HttpCall) else "_".join(parts[found.start : found.stop])
    action = "_".join((spoken, *rest))
    return Member(operation, unique(action, "_".join(words(operation.name))), found.verb.name)
