"""The known name that a wrong one stands for: by meaning, then by spelling.

Standard library only: the runtime answers calls with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

# Words that callers use for each other, a line each. The verbs are synonyms and neighbours in `catalogs/verbs.yaml`.
_ALIKE = """
get read fetch show retrieve view describe inspect info
search find query lookup
list enumerate ls
create add new insert make post register
update edit change modify patch put set alter amend revise
delete remove destroy drop erase purge del rm wipe trash
cancel abort stop end close
start begin launch run execute
restart reboot reload
restore recover undelete untrash
enable activate
disable deactivate
attach connect link
detach disconnect unlink
id identifier key uid uuid guid number
name title label
query q term text keyword search
content body message text value
limit count max size
user owner username login
repo repository
org organization organisation
"""
_GROUPS: dict[str, set[int]] = {}
for _index, _line in enumerate(_ALIKE.split("\n")):
    for _word in _line.split():
        _GROUPS.setdefault(_word, set()).add(_index)
_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def nearest(name: str, known: Iterable[str]) -> str:
    """The name that says the same in other words (`remove` → `delete`), else a slip of it, else one that shares a word.

    Empty where there is none, or where several are as near.
    """
    names = list(dict.fromkeys(known))
    own = word_parts(name)
    split = {other: word_parts(other) for other in names}
    same = [other for other in names if len(split[other]) == len(own) and _shared(own, split[other]) == len(own) > 0]
    if len(same) == 1:
        return same[0]
    if close := get_close_matches(name, same or names, n=1, cutoff=0.6):
        return close[0]
    shared = {other: _shared(own, split[other]) for other in names}
    most = max(shared.values(), default=0)
    best = [other for other in names if shared[other] == most > 0]
    return best[0] if len(best) == 1 else ""


def word_parts(name: str) -> list[str]:
    """The words of a name in lower case."""
    return [word.lower() for word in _WORD.findall(name)]


def _shared(own: list[str], other: list[str]) -> int:
    """How many words of one name stand in the other, as they are or as others for them."""
    return sum(any(_alike(word, one) for one in other) for word in own)


def _alike(one: str, other: str) -> bool:
    return one.removesuffix("s") == other.removesuffix("s") or bool(_GROUPS.get(one, set()) & _GROUPS.get(other, set()))
