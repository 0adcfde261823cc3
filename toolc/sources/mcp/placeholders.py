"""Fills in what the texts of a server leave open: environment variables, inputs, settings and folders."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolc import address
from toolc.bind import Env
from toolc.diagnostics import user_error
from toolc.sources.mcp.servers import Server

_PLACE = re.compile(r"\$\{([^{}]*)\}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HOME_FOLDERS = {"DESKTOP": "Desktop", "DOCUMENTS": "Documents", "DOWNLOADS": "Downloads"}
# Shorter values are too likely to stand in a message by chance.
_SECRET_LENGTH = 6


@dataclass(slots=True)
class Filling:
    """Fills in the texts of one server; raises UserError, which names the variable, for a value that is not there.

    inputs: variables that the config names for the file's inputs; settings: values for a packed extension's settings.
    secrets: what came from the environment, so that it can be kept out of messages.
    """

    server: Server
    inputs: Mapping[str, Env] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    folder: Path = Path()
    secrets: dict[str, str] = field(default_factory=dict)

    def text(self, text: str) -> str:
        """The text with every placeholder filled in; one that nobody knows stays as it is."""
        return _PLACE.sub(self._one, text)

    def words(self, texts: tuple[str, ...]) -> list[str]:
        """The texts of a command; one that is a setting with several values becomes several."""
        found: list[str] = []
        for text in texts:
            match = re.fullmatch(r"\$\{user_config\.([^{}]+)\}", text)
            if match and isinstance(value := self._setting(match[1]), list):
                found += [str(item) for item in value]
            else:
                found.append(self.text(text))
        return found

    def redacted(self, text: str) -> str:
        """A text that the server wrote, without the values that it was given."""
        for name, value in self.secrets.items():
            if len(value) >= _SECRET_LENGTH:
                text = text.replace(value, f"<{name}>")
        return text

    def variable(self, name: str, help: str = "") -> str:
        """The value of an environment variable that the server is given."""
        value = address.variable(name, f"the server `{self.server.name}`", help)
        self.secrets[name] = value
        return value

    def _one(self, match: re.Match[str]) -> str:
        inside = match[1]
        kind, colon, rest = inside.partition(":")
        if kind == "env" and colon:
            return self._environment(*_default(rest))
        if not self.server.expand:
            return match[0]
        if kind == "input" and colon:
            return self._input(rest)
        if inside.startswith("user_config."):
            value = self._setting(inside.removeprefix("user_config."))
            return " ".join(map(str, value)) if isinstance(value, list) else str(value)
        known = self._known(inside)
        if known is not None:
            return known
        name, default = _default(inside)
        return self._environment(name, default) if _VARIABLE.fullmatch(name) else match[0]

    def _known(self, name: str) -> str | None:
        folder = str(self.folder if self.server.archive else self.server.folder)
        home = str(Path.home())
        if name in _HOME_FOLDERS:
            return str(Path.home() / _HOME_FOLDERS[name])
        return {
            "__dirname": folder,
            "workspaceFolder": folder,
            "workspaceRoot": folder,
            "workspaceFolderBasename": Path(folder).name,
            "userHome": home,
            "HOME": home,
            "pathSeparator": os.sep,
            "/": os.sep,
        }.get(name)

    def _environment(self, name: str, default: str | None) -> str:
        if default is not None and not os.environ.get(name):
            return default
        return self.variable(name)

    def _input(self, name: str) -> str:
        if name in self.inputs:
            return self.variable(self.inputs[name].env)
        wanted = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").upper() or "INPUT"
        wanted = f"_{wanted}" if wanted[0].isdigit() else wanted
        default = self.server.inputs.get(name, {}).get("default")
        if isinstance(default, str) and default and not os.environ.get(wanted):
            return default
        advice = f"set it, or name another for this input in toolc.yaml: `inputs: {{{name}: {{env: NAME}}}}`"
        return self.variable(wanted, advice)

    def _setting(self, name: str) -> Any:
        """The value of a setting: from the config, else its default."""
        declared = self.server.inputs.get(name, {})
        value = self.settings.get(name, declared.get("default"))
        if isinstance(value, dict) and set(value) == {"env"}:
            return self.variable(str(value["env"]))
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.text(item) if isinstance(item, str) else item for item in value]
        if isinstance(value, bool):
            return str(value).lower()
        if value is None and declared.get("required"):
            raise user_error(
                "missing-setting",
                f"the server `{self.server.name}` needs a value for its setting `{name}`",
                self.server.origin,
                help=f"give it in toolc.yaml: `user_config: {{{name}: …}}`, or `{{env: NAME}}` for what is secret",
            )
        return "" if value is None else value


def _default(text: str) -> tuple[str, str | None]:
    """The name and the default of `NAME:-default`."""
    name, mark, default = text.partition(":-")
    return name, default if mark else None
