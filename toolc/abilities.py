"""What a shell could do in place of a tool, read off name, parameters and description (data: `catalogs/shell.yaml`)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any

from toolc import resources
from toolc.lexicon import lexicon, words

_PREFIXES = frozenset(
    {"fs", "file", "filesystem", "local", "system", "sys", "os", "tool", "desktop", "workspace", "my", "developer"}
)
START = 300  # characters in which a tool says what it is, before it says what else is there


@dataclass(frozen=True, slots=True)
class Ability:
    """One thing a shell can do. run: binary → the command that does it; the other fields as in shell.yaml."""

    name: str
    run: dict[str, str]
    names: frozenset[str]
    verbs: frozenset[str]
    things: frozenset[str]
    says: re.Pattern[str]
    excludes: re.Pattern[str]
    needs: frozenset[str]
    local: bool

    def called(self, parts: tuple[str, ...]) -> bool:
        """Whether a name, in words, is one of those that mean this ability."""
        return "_".join(parts) in self.names or (
            len(parts) > 1 and parts[0] in _PREFIXES and "_".join(parts[1:]) in self.names
        )

    def named(self, parts: tuple[str, ...]) -> bool:
        """Whether a name, in words, means this ability."""
        if self.called(parts):
            return True
        lex = lexicon()
        singular = [lex.singular(part) for part in parts]
        verb = next((found.verb.name for n in range(len(parts)) if (found := lex.at(parts, n))), "")
        said = {word for word in singular if lex.at((word,), 0) is None} - _PREFIXES | (self.things & set(singular))
        return bool(verb in self.verbs and said and said <= self.things)


@dataclass(frozen=True, slots=True)
class Abilities:
    """The table, with the signs of a shell and of something that no shell sees."""

    abilities: tuple[Ability, ...]
    posix: frozenset[str]
    shell_names: frozenset[str]
    shell_verbs: frozenset[str]
    shell_things: frozenset[str]
    shell_parameters: frozenset[str]
    shell_says: re.Pattern[str]
    shell_excludes: re.Pattern[str]
    elsewhere: re.Pattern[str]
    elsewhere_parameters: frozenset[str]
    files: re.Pattern[str]

    def is_shell(self, name: str, description: str, parameters: Iterable[str], kind: str = "") -> bool:
        """Whether a tool runs command lines where the agent is; kind: the vendor's type of a built-in tool."""
        if kind.startswith(("bash_", "local_shell", "shell")):
            return True
        server, parts = own_name(name)
        text = description.lower()
        if not self._names_shell(parts) or self.shell_excludes.search(f"{server} {text[:START]}"):
            return False
        keys = {"_".join(words(key)) for key in parameters}
        return not keys or (
            bool(keys & self.shell_parameters) and bool(self.shell_says.search(text or " ".join(parts)))
        )

    def _names_shell(self, parts: tuple[str, ...]) -> bool:
        if "_".join(parts) in self.shell_names:
            return True
        said = {lexicon().singular(part) for part in parts} - _PREFIXES
        verbs = said & self.shell_verbs
        return bool(said) and said <= self.shell_verbs | self.shell_things and said != verbs

    def of(self, name: str, description: str, parameters: Collection[str]) -> Ability | None:
        """The ability that a tool amounts to, if what it works on is what the agent's own shell sees."""
        server, parts = own_name(name)
        text = description.lower()
        keys = {"_".join(words(key)) for key in parameters}
        for ability in self.abilities:
            said = f"{' '.join(parts)} {text}" if ability.local else text  # `kubectl_patch` says what it works with
            if not ability.named(parts) or ability.excludes.search(text):
                continue
            if not ability.says.search(said) and not (ability.called(parts) and self._goes_without(parts, text)):
                continue
            if keys and not keys & ability.needs:
                continue
            if not ability.local and (self._is_elsewhere(keys) or self._is_said_elsewhere(f"{server} {text}")):
                continue
            return ability
        return None

    def _goes_without(self, parts: tuple[str, ...], text: str) -> bool:
        """Whether a description says nothing beside the name, or speaks of files in another language than English."""
        return set(words(text)) <= set(parts) or self.files.search(text) is not None

    def _is_said_elsewhere(self, text: str) -> bool:
        # In Chinese and Japanese nothing parts a Latin word from its neighbours.
        latin = "" if text.isascii() else re.sub(r"[^\x00-\x7f]", " ", text)
        return self.elsewhere.search(text) is not None or self.elsewhere.search(latin) is not None

    def _is_elsewhere(self, keys: Collection[str]) -> bool:
        ids = {key for key in keys if key.endswith("_id") and key != "process_id"}
        return bool(ids) or not self.elsewhere_parameters.isdisjoint(keys)


def own_name(name: str) -> tuple[str, tuple[str, ...]]:
    """The server that a harness put before a name (`mcp__server__tool`), or ``, and the words of the tool's own."""
    lead, _, rest = name.partition("__")
    server, _, tool = rest.partition("__")
    return (" ".join(words(server)), words(tool)) if lead == "mcp" and tool else ("", words(name))


@cache
def abilities() -> Abilities:
    """The shipped table, read once."""
    import yaml

    text = (resources.data("catalogs") / "shell.yaml").read_text(encoding="utf-8")
    data: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506 - safe
    shells, elsewhere = data["shells"], data["elsewhere"]
    return Abilities(
        tuple(_ability(name, entry) for name, entry in data["abilities"].items()),
        frozenset(data["posix"]),
        frozenset(shells["names"]),
        frozenset(shells["verbs"]),
        frozenset(shells["things"]),
        frozenset(shells["parameters"]),
        re.compile(shells["says"]),
        re.compile(shells["not"]),
        re.compile(elsewhere["words"]),
        frozenset(elsewhere["parameters"]),
        re.compile(data["files"]),
    )


def _ability(name: str, entry: dict[str, Any]) -> Ability:
    return Ability(
        name,
        dict(entry["run"]),
        frozenset(entry["names"]),
        frozenset(entry["verbs"]),
        frozenset(entry["things"]),
        re.compile(entry["says"]),
        re.compile(entry["not"]),
        frozenset(entry["needs"]),
        bool(entry.get("local")),
    )
