"""Flags of parameters, bodies and operations that are no booleans.

`required: yes` is a text in YAML 1.2 and true in YAML 1.1, after which many descriptions are written.
"""

from __future__ import annotations

import json
from typing import Any

from toolc.schema.upgrade import TRUTH
from toolc.sources.openapi.findings import Problem
from toolc.sources.openapi.places import Place

_FLAGS = ("required", "deprecated", "explode", "allowReserved", "allowEmptyValue")


def settled(place: Place, problems: list[Problem]) -> dict[str, Any]:
    """The mapping at a place with true or false, or nothing, for each flag; it is the same one where all are well."""
    raw: dict[str, Any] = place.value
    for key in _FLAGS:
        value = raw.get(key)
        if value is None or isinstance(value, bool):
            continue
        meant = TRUTH.get(value.lower()) if isinstance(value, str) else None
        how = "ignored" if meant is None else f"read as {str(meant).lower()}"
        text = f"`{key}` has to be true or false, not {json.dumps(value, ensure_ascii=False)[:40]}; {how}"
        advice = "" if meant is None else f"Write `{key}: {str(meant).lower()}`."
        problems.append(Problem("doubtful-flag", text, place.at(key).origin, "repaired", advice))
        raw = {name: item for name, item in raw.items() if name != key}
        if meant is not None:
            raw[key] = meant
    return raw
