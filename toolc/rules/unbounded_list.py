"""A list that can be of any length.

What it does
    Reports a reading tool whose result is a list by its output or response schema, and that has no parameter to bound
    it: limit, count, top, first, n, take, per_page, page_size, max_…, a page or a cursor. By the name alone ("list
    issues") it is a note at most. Silent for the listing of a directory, for a result that is a page and says how to
    get the next, where the description says how many there are at most, and for what a vendor offers to everybody
    (regions, plans).

Why it is bad
    One call can fill the context: a list of 10,000 entries is a model's end. Of GitHub's 325 operations that return a
    list, 61 cannot be bounded (measured November 2026).

Example
    list_events(): array of events

Use instead
    list_events(limit: {"type": "integer", "default": 30, "maximum": 100})

When it is wrong
    Where the list is short by nature, such as the plans of a product.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from toolc.diagnostics import Diagnostic, Severity
from toolc.ir import HttpCall, Operation, Schema, SqlCall
from toolc.lexicon import lexicon, words
from toolc.rules import Subject
from toolc.schema.walk import definition

STAGE = "source"
CATEGORY = "results"
SEVERITY = Severity.warning
SILENCES = ("bulky-result",)
BOUNDS = frozenset(
    "limit limits count counts top first last n k take page pages cursor offset size rows num number perpage"
    " pagesize pagetoken pagelength"
    " after before since until skip startcursor endcursor batchsize head headlimit toplevel topk maxresults"
    " resultslimit numresults"
    " marker continuationtoken nexttoken startingafter endingbefore results amount quantity range topn".split()
)
_BOUND_WORDS = frozenset(
    {"limit", "max", "maximum", "top", "cursor", "page", "perpage", "count", "pagination", "offset", "tail"}
)
_DIRECTORY = re.compile(r"\b(?:director(?:y|ies)|folders?|files?|tree)\b", re.I)
_HOLDERS = frozenset("items results data records entries values list rows nodes edges resources".split())
_AROUND = frozenset(
    "total count number next previous prev has more links link meta metadata pagination page pages cursor offset"
    " limit size"
    " url href self etag object type kind ok success status truncated incomplete results token".split()
)
# How many at most, said of things; of days or bytes it is no bound.
_SAYS_MOST = re.compile(
    r"\b(?:limit(?:ed|s)?(?: [\w' ]{1,40}?)? to|up to|at most|maximum of|no more than|first|last|top|latest)"
    r" (?:the )?(?:first |last |latest )?\d[\d,]*(?!\d| ?(?:%|ms|[kmg]?i?b|(?:milli)?seconds?|minutes?|hours?"
    r"|days?|weeks?|months?|years?|times|characters?|bytes?)\b)",
    re.I,
)
# A result that says how to go on is a page of one, whatever its size.
_MORE = frozenset(
    "hasmore hasnext hasnextpage next nextpage nextpagetoken nexttoken nextcursor nextmarker nextoffset nexturl"
    " nextlink continuationtoken pages".split()
)
_PAGING = frozenset("link links page paging pagination info meta metadata response".split())
# What a vendor offers to everybody: such a list grows with its products, not with the user's data.
_OFFERED = frozenset(
    "region zone tier plan size currency country language locale timezone license version platform".split()
)
# Plurals of one thing: `get_user_details` returns no list.
_ONE_THING = frozenset(
    "details stats statistics settings news analytics credentials permissions preferences instructions contents docs"
    " options capabilities limits guidelines".split()
)
START = 200  # characters in which a tool says what it does
_SAYS_LIST = re.compile(r"\b(?:lists?|returns? (?:all|a list|an array|every)|get all|all the)\b", re.I)


def check(subject: Subject) -> Iterator[Diagnostic]:
    """One finding an operation."""
    lex = lexicon()
    for operation in subject.operations:
        if isinstance(operation.call, SqlCall) or operation.hints.effect in ("write", "destructive"):
            continue
        if isinstance(operation.call, HttpCall) and operation.call.method.upper() != "GET":
            continue
        if _is_bounded(operation) or _is_directory(operation) or _is_offered(operation):
            continue
        result = _result(operation)
        what = _list_in(result, operation) if result is not None else ""
        if what and not isinstance(operation.call, HttpCall) and not _named_list(operation, lex):
            continue  # what a function returns as a list may be one by nature: the moves of a piece, what it was given
        if what:
            level, said = SEVERITY, f"returns {what}"
        elif result is None and operation.output is None and _named_list(operation, lex):
            level, said = Severity.note, "seems to return a list"
        else:
            continue
        yield Diagnostic(
            "unbounded-list",
            level,
            f"`{operation.name}` {said}, and no parameter bounds it",
            operation.origin,
            help="take a limit with a default and a maximum, or page the result",
            subject=operation.id,
        )


def _is_offered(operation: Operation) -> bool:
    """Whether it lists what the vendor offers, such as regions, whoever asks."""
    if operation.input.get("properties"):
        return False
    parts = words(_listed(operation.call.path) if isinstance(operation.call, HttpCall) else operation.name)
    return bool(parts) and lexicon().singular(parts[-1]) in _OFFERED


def _listed(path: str) -> str:
    """The last segment of a path that is no parameter."""
    return next((segment for segment in reversed(path.split("/")) if segment and "{" not in segment), "")


def _is_directory(operation: Operation) -> bool:
    """Whether it lists files: of an endpoint its last segment says so, as APIs of files list much else."""
    if isinstance(operation.call, HttpCall):
        return bool(_DIRECTORY.search(" ".join(words(_listed(operation.call.path)))))
    return bool(_DIRECTORY.search(f"{' '.join(words(operation.name))} {operation.description[:200]}"))


def _is_bounded(operation: Operation) -> bool:
    if "pagination" in operation.extra or _SAYS_MOST.search(operation.description):
        return True
    for name, schema in operation.input.get("properties", {}).items():
        parts = words(name)
        if "".join(parts) in BOUNDS or set(parts) & _BOUND_WORDS or parts[:1] in (("num",), ("n",)):
            return True
        if isinstance(schema, dict) and re.search(
            r"\b(?:page|limit|cursor)\b", str(schema.get("description", ""))[:80], re.I
        ):
            return True
        inner = schema.get("properties") if isinstance(schema, dict) else None
        if isinstance(inner, dict) and any(set(words(key)) & _BOUND_WORDS for key in inner):
            return True
    return False


def _result(operation: Operation) -> Schema | None:
    return operation.output() if operation.output is not None else None


def _list_in(schema: Any, operation: Operation) -> str:
    """What list a result is or holds, in words: an array, or an object made around one; bounded ones are none."""
    defs = schema.get("$defs", {}) if isinstance(schema, dict) else {}
    schema = _resolved(schema, defs)
    if _is_open_array(schema):
        return "a list"
    properties = _properties(schema, defs)
    if not properties or len(properties) > 6 or _goes_on(properties, defs):
        return ""
    arrays = [name for name, inner in properties.items() if _is_open_array(_resolved(inner, defs))]
    said = {lexicon().singular(word) for word in words(f"{operation.name} {getattr(operation.call, 'path', '')}")}
    # a figure beside the list makes it part of something else: views of a page with their sum
    only = all(set(words(name)) <= _AROUND for name in properties if name not in arrays)
    named = bool(arrays) and only and set(map(lexicon().singular, words(arrays[0]))) <= said
    if len(arrays) == 1 and isinstance(operation.call, HttpCall) and operation.call.path.rstrip("/").endswith("}"):
        one = words(_listed(operation.call.path))
        if list(map(lexicon().singular, one)) == list(map(lexicon().singular, words(arrays[0]))):
            return ""  # one thing by its id, in the envelope of a list: `/accounts/{id}` answers `accounts`
    if len(arrays) == 1 and (arrays[0] in _HOLDERS or len(properties) == 1 or named):
        return f"a list (`{arrays[0]}`)"
    return ""


def _goes_on(properties: Schema, defs: Schema) -> bool:
    """Whether a result is one page of several: it, or what it says of its paging, tells how to get the next."""
    paging = [_properties(inner, defs) for name, inner in properties.items() if set(words(name)) <= _PAGING]
    return any("".join(words(name)) in _MORE for found in (properties, *paging) for name in found)


def _properties(schema: Any, defs: Schema, depth: int = 0) -> Schema:
    """The properties of an object, those of its allOf too."""
    schema = _resolved(schema, defs)
    if not isinstance(schema, dict) or depth > 4:
        return {}
    found: Schema = {}
    for part in schema.get("allOf", ()):
        found |= _properties(part, defs, depth + 1)
    own = schema.get("properties")
    return found | own if isinstance(own, dict) else found


def _resolved(schema: Any, defs: Schema) -> Any:
    for _ in range(4):
        name = definition(schema.get("$ref")) if isinstance(schema, dict) else None
        if name is None:
            break
        schema = defs.get(name)
    return schema


def _is_open_array(schema: Any) -> bool:
    if not isinstance(schema, dict) or schema.get("type") != "array" or "maxItems" in schema or "prefixItems" in schema:
        return False
    items = schema.get("items")
    return not (isinstance(items, dict) and "enum" in items)


def _named_list(operation: Operation, lex: Any) -> bool:
    """Whether name and text say that it lists a plural thing."""
    parts = words(operation.name)
    found = lex.first(parts)
    if found is None or found.verb.name not in ("list", "search", "get"):
        return False
    rest = (*parts[: found.start], *parts[found.stop :])
    plural = any(lex.singular(word) != word for word in rest if word not in _ONE_THING)
    # further on a text speaks of other tools and of what to do with the result
    says = bool(_SAYS_LIST.search(operation.description[:START])) or "all" in rest
    return plural and (says or found.verb.name == "list" or (found.verb.name == "get" and operation.output is not None))
