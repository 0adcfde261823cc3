"""Files that a call may send: only those below folders that whoever runs toolc has allowed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolc.ir import Arguments, HttpCall
from toolc.runtime.payload import Upload
from toolc.runtime.result import Failed

# Base64 text has no colon, so an argument that begins so is no content.
PREFIX = "file:"
LARGEST = 64 * 1024**2


class Files:
    """The allowed folders; relative paths are taken from the first that has such a file."""

    def __init__(self, folders: Sequence[str | Path] = ()) -> None:
        self.folders = tuple(Path(folder).resolve() for folder in folders)

    def filled(self, call: HttpCall, arguments: Arguments) -> Arguments:
        """The arguments with `file:PATH` replaced by the file, where bytes are sent; raises Failed."""
        filled = dict(arguments)
        for key, binding in call.inputs.items():
            if key in filled and binding["in"] == "body" and binding.get("contentEncoding") == "base64":
                filled[key] = self._value(key, filled[key])
        return filled

    def _value(self, key: str, value: Any) -> Any:
        if isinstance(value, list):
            return [self._value(key, item) for item in value]
        if isinstance(value, str) and value.startswith(PREFIX):
            return self._read(key, value.removeprefix(PREFIX).removeprefix("//"))
        return value

    def _read(self, key: str, path: str) -> Upload:
        if not self.folders:
            why = "no folder is allowed (`--files DIR`): send the content itself, as base64 text."
            raise Failed(f"`{key}` names a file, but {why}")
        for folder in self.folders:
            try:
                found = (folder / path).resolve(strict=True)  # links are followed first, so none leads out
            except (OSError, ValueError):
                continue
            if found.is_relative_to(folder) and found.is_file():
                if found.stat().st_size > LARGEST:
                    raise Failed(f"`{key}` names a file of more than {LARGEST // 1024**2} MB.")
                return Upload(found.name, found.read_bytes())
        raise Failed(f"`{key}` names a file that is not there or not inside the allowed folders.")
