"""The page of all lint rules, made from their docstrings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby

from toolc.bind import schema_of
from toolc.rules import Rule

_TITLE = "# Lint rules"
_INTRODUCTION = """\
Made by `toolc rules --format markdown` from what each rule says of itself. `default`, `strict` and `security` are
presets; the preset `all` runs every rule. Levels, options and what is let pass are set under `lint` in `toolc.yaml`."""


def markdown(rules: Iterable[Rule]) -> str:
    """The page: rules by category, each with its level, presets, sections and options."""
    return "\n".join([_TITLE, "", _INTRODUCTION, *_sections(rules)]) + "\n"


def _sections(rules: Iterable[Rule]) -> Iterator[str]:
    ordered = sorted(rules, key=lambda rule: (rule.category, rule.name))
    for category, members in groupby(ordered, key=lambda rule: rule.category):
        yield f"\n## {category.capitalize()}"
        for rule in members:
            yield from _rule(rule)


def _rule(rule: Rule) -> Iterator[str]:
    presets = ", ".join(rule.presets) or "none but `all`"
    yield f"\n### {rule.name}\n"
    yield f"{rule.severity.name} · presets: {presets} · looks at: {rule.stage}\n"
    fenced = False
    for line in rule.text.strip().split("\n"):
        if fenced and line and not line.startswith("    "):
            yield "```\n"
            fenced = False
        if line in ("Example", "Use instead"):
            yield f"**{line}**\n\n```text"
            fenced = True
        elif line and not line.startswith(" "):
            yield f"**{line}**\n" if line in ("What it does", "Why it is bad", "When it is wrong") else line
        elif not fenced or line:
            yield line.removeprefix("    ")
    if fenced:
        yield "```"
    if rule.options is not None:
        yield "\n**Options**\n"
        for key, schema in schema_of(rule.options)["properties"].items():
            default = f" (default `{schema['default']}`)" if "default" in schema else ""
            yield f"- `{key}`: {schema.get('description', '')}{default}"
