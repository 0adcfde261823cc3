"""The levels in which tools are shown before they are loaded: index, names, stubs, signatures, each a Markdown file.

Sources are untrusted: whatever a name or description holds, one tool stays one line.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from toolc import resources
from toolc.ir import Catalog, File, Schema, Tool
from toolc.schema.flatten import resolve
from toolc.schema.words import words
from toolc.wording import EMPTY, purpose

if TYPE_CHECKING:
    from jinja2 import Environment

LONGEST_STUB = 80
LONGEST_SKILL = 120
MOST_INDEX_TOKENS = 400
ALWAYS = "always"
REST = "other"

# Lengths tried for the purposes of groups in the index, until it is small enough.
_PURPOSES = (80, 60, 40, 24, 0)
_SHORTEST_PART = 20  # characters that say something of an action
_MOST_VALUES = 8
_MOST_KEYS = 6
_MOST_HOPS = 6
_DEEPEST = 2
_TYPES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "null",
    "object": "dict",
    "array": "list",
}


@dataclass(frozen=True, slots=True)
class Section:
    """Tools shown together: those always loaded, or the others of one group."""

    name: str
    description: str
    tools: tuple[Tool, ...]


def render_levels(catalog: Catalog, count: Callable[[str], int]) -> tuple[File, ...]:
    """`index.md`, `names.md`, `stubs.md` and `signatures.md`; count: tokens of a text."""
    return (
        File("index.md", index(catalog, count)),
        File("names.md", names(catalog)),
        File("stubs.md", stubs(catalog)),
        File("signatures.md", signatures(catalog)),
    )


def index(catalog: Catalog, count: Callable[[str], int]) -> str:
    """The groups with the number of their tools, and a purpose each as long as all cost at most 400 tokens."""
    text = ""
    for length in _PURPOSES:
        groups = [
            {"name": section.name, "count": len(section.tools), "purpose": _purpose(section, length)}
            for section in sections(catalog)
        ]
        text = fill("levels/index.md.j2", title=one_line(catalog.name), groups=groups, total=len(catalog.tools))
        if count(text) <= MOST_INDEX_TOKENS:
            break
    return text


def names(catalog: Catalog) -> str:
    """The names of all tools, by group."""
    return _level("names", catalog, lambda tool: one_line(tool.name))


def stubs(catalog: Catalog) -> str:
    """A stub of each tool, by group; that of a skill may be longer, because it stands for a whole document."""
    return _level("stubs", catalog, lambda tool: stub_in(catalog, tool))


def stub_in(catalog: Catalog, tool: Tool) -> str:
    """The stub of a tool of this catalog; a skill, which is chosen by its description, may be longer."""
    only = catalog.operations.get(tool.operations[0]) if len(tool.operations) == 1 else None
    return stub(tool, LONGEST_SKILL if only is not None and "body" in only.extra else LONGEST_STUB)


def signatures(catalog: Catalog) -> str:
    """A signature of each tool, by group."""
    return _level("signatures", catalog, signature)


def stub(tool: Tool, length: int = LONGEST_STUB) -> str:
    """Name and what it is for in at most `length` characters; a merged tool names its actions."""
    name, lead = one_line(tool.name), _lead(tool)
    actions = _actions(tool)
    said = _stems(lead)
    new = bool(said - _known(tool, actions))
    if not actions:
        text = shorten(lead, length) if new else ""
    elif new and all(_stems(action) <= said | _EMPTY for action in actions) and len(lead) <= length:
        text = lead
    else:
        text = _enumerate(actions, length)
        if new and len(text) + len(lead) + 2 <= length:
            text = f"{text}: {lead}"
        elif not new:
            text = _explained(tool, actions, length) or text
    return f"{name}: {text}" if text else name


def _lead(tool: Tool) -> str:
    """What a tool is for. That an action tool does more than its noun says is told by its actions."""
    text = one_line(purpose(tool.description)).rstrip(".")
    return text.partition(" and what belongs to ")[0] if tool.dispatch.select else text


def _explained(tool: Tool, actions: Sequence[str], length: int) -> str:
    """`get: What it does; list: …` from the lines that its description has for actions, if there is room to say it."""
    wanted = "|".join(map(re.escape, actions))
    parts = re.split(rf"^({wanted}): ", tool.description, flags=re.M)
    texts = {action: one_line(purpose(text)).rstrip(".") for action, text in zip(parts[1::2], parts[2::2], strict=True)}
    known = _known(tool, actions)
    telling = {action: text for action, text in texts.items() if _stems(text) - known}
    room = length - sum(map(len, actions)) - 2 * (len(actions) - 1) - 2 * len(telling)
    if not telling or room // len(telling) < _SHORTEST_PART:
        return ""
    share = room // len(telling)
    return "; ".join(f"{a}: {shorten(telling[a], share)}" if a in telling else a for a in actions)


def _stems(text: str) -> set[str]:
    return {word.rstrip("s") or word for word in words(text)}


def _known(tool: Tool, actions: Sequence[str]) -> set[str]:
    """Words that say nothing new of a tool: those of its name, group and actions, and empty ones."""
    return {*_EMPTY}.union(*map(_stems, (tool.name, tool.group, *actions)))


def signature(tool: Tool) -> str:
    """Name and typed parameters on one line, the optional ones with `?`; long enums and objects are cut short."""
    schema = tool.input_schema
    defs, required = schema.get("$defs", {}), set(schema.get("required", ()))
    parameters = [
        f"{one_line(key)}{'' if key in required else '?'}: {_type(form, defs, 0, key in tool.dispatch.select)}"
        for key, form in schema.get("properties", {}).items()
    ]
    return f"{one_line(tool.name)}({', '.join(parameters)})"


def sections(catalog: Catalog, always: bool = True) -> tuple[Section, ...]:
    """The tools as they are shown: always loaded first (if wanted), then group by group, sorted."""
    members: dict[str, list[Tool]] = defaultdict(list)
    for tool in catalog.tools:
        if tool.tier != "always":
            members[tool.group or REST].append(tool)
    texts = {group.name: group.description for group in catalog.groups}
    first = tuple(tool for tool in catalog.tools if tool.tier == "always")
    return (
        *([Section(ALWAYS, "", first)] if first and always else []),
        *(Section(one_line(name), one_line(texts.get(name, "")), tuple(members[name])) for name in sorted(members)),
    )


def one_line(text: str) -> str:
    """The text on one line: no control characters, nothing invisible, no run of blanks."""
    if text.isascii() and text.isprintable() and "  " not in text:
        return text.strip()
    return " ".join("".join(" " if unicodedata.category(c)[0] in "CZ" else c for c in text).split())


def shorten(text: str, length: int) -> str:
    """The text in at most `length` characters, cut between words."""
    if len(text) <= length:
        return text
    head = text[: length - 1]
    cut = head.rpartition(" ")[0] if text[length - 1] != " " else head
    return (cut or head).rstrip(" ,;:-(") + "…"


def fill(template: str, **context: Any) -> str:
    """A template below `templates/`, filled; the values are data, never templates."""
    return _environment().get_template(template).render(context)


@cache
def _environment() -> Environment:
    import jinja2
    from jinja2.sandbox import SandboxedEnvironment

    return SandboxedEnvironment(
        loader=jinja2.FileSystemLoader(resources.data("templates")),
        autoescape=jinja2.select_autoescape(["html.j2"]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _level(level: str, catalog: Catalog, line: Callable[[Tool], str]) -> str:
    shown = [{"name": section.name, "lines": [line(tool) for tool in section.tools]} for section in sections(catalog)]
    return fill(f"levels/{level}.md.j2", title=one_line(catalog.name), sections=shown)


_EMPTY = frozenset(word.rstrip("s") for word in EMPTY) | {"or"}
# What a title says of any source: `Redis MCP Server 1.30.0`.
_ANY_SOURCE = _EMPTY | _stems("mcp api rest server tools alpha beta rc v")


def _purpose(section: Section, length: int) -> str:
    """What the tools of a section are for: its text, or their names where that only repeats the name of the section."""
    if not length:
        return ""
    text = one_line(purpose(section.description)).rstrip(".")
    if any(not word[-1].isdigit() for word in _stems(text) - _stems(section.name) - _ANY_SOURCE):
        return shorten(text, length)
    return _enumerate([one_line(tool.name) for tool in section.tools], length)


def _enumerate(items: list[str], length: int) -> str:
    """`a, b, c`, or as many as fit and how many more there are."""
    text = ", ".join(items)
    shown = len(items)
    while len(text) > length and shown > 1:
        shown -= 1
        text = f"{', '.join(items[:shown])}, +{len(items) - shown}"
    return text if len(text) <= length else shorten(text, length)


def _actions(tool: Tool) -> list[str]:
    """The values of a merged tool's selectors, those of the first one first."""
    properties = tool.input_schema.get("properties", {})
    chosen = [properties.get(name, {}).get("enum", ()) for name in tool.dispatch.select]
    return [one_line(str(value)) for values in chosen for value in values]


def _type(form: Any, defs: Schema, depth: int = 0, whole: bool = False, hops: int = 0) -> str:
    """The type of a value; whole: all values of an enum; depth: objects and lists, hops: references around it."""
    if not isinstance(form, dict) or hops > _MOST_HOPS:
        return "any"
    if "const" in form or "enum" in form:
        values = form["enum"] if "enum" in form else [form["const"]]
        shown = values if whole else values[:_MOST_VALUES]
        return "|".join(dict.fromkeys(map(_literal, shown))) + ("|…" if len(shown) < len(values) else "")
    if "$ref" in form:
        return _type(resolve(form, defs), defs, depth, hops=hops + 1)
    kinds = form.get("type", [])
    kinds = kinds if isinstance(kinds, list) else [kinds]
    for keyword in ("anyOf", "oneOf"):
        if keyword in form and not kinds:
            return "|".join(dict.fromkeys(_type(branch, defs, depth, hops=hops + 1) for branch in form[keyword]))
    if not kinds and "allOf" in form:
        types = (_type(branch, defs, depth, hops=hops + 1) for branch in form["allOf"])
        return next((kind for kind in types if kind != "any"), "any")
    return "|".join(_named(kind, form, defs, depth) for kind in kinds) or "any"


def _named(kind: str, form: Schema, defs: Schema, depth: int) -> str:
    if kind == "array" and depth < _DEEPEST:
        inner = _type(form.get("items"), defs, depth + 1)
        return "list" if inner == "any" else f"list[{inner}]"
    properties = form.get("properties", {})
    if kind == "object" and depth < _DEEPEST and 0 < len(properties) <= _MOST_KEYS:
        required = form.get("required", ())
        keys = (
            f"{one_line(key)}{'' if key in required else '?'}: {_type(value, defs, depth + 1)}"
            for key, value in properties.items()
        )
        return f"{{{', '.join(keys)}}}"
    return _TYPES.get(kind, kind)


def _literal(value: Any) -> str:
    plain = isinstance(value, str) and value.isascii() and value.replace("_", "").replace("-", "").isalnum()
    return str(value) if plain else one_line(json.dumps(value, ensure_ascii=False))
