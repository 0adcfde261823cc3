"""The whole description against the schema of its OpenAPI version, for `validate_spec`; each content is checked once.

openapi-spec-validator needs about 60 CPU-seconds for GitHub's description and 0.7 s to be imported, so nothing of it
is touched otherwise, and what it found is kept in the user's cache folder.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from toolc import resources
from toolc.diagnostics import user_error
from toolc.ir import escape
from toolc.sources.openapi.findings import Findings, Problem
from toolc.sources.openapi.places import Part, Place
from toolc.sources.openapi.references import References

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# More findings than these help nobody; the last one says that there are others.
MOST = 100


def validate(references: References, digest: str, findings: Findings) -> None:
    """Report what the version's own schema does not allow; raises UserError where the validator is not installed."""
    for pointer, message in _kept_or_new(references, digest):
        findings.add(Problem("invalid-spec", message, Place(None, references.root, pointer).origin, "repaired"))


def _kept_or_new(references: References, digest: str) -> list[tuple[str, str]]:
    try:
        import openapi_spec_validator as validator
    except ImportError:
        raise user_error(
            "missing-package",
            "`validate_spec` needs the package openapi-spec-validator",
            help="Install toolc with its extra `validate`: pip install 'toolc[validate]'.",
        ) from None
    folder = resources.cache_folder()
    file = folder / f"openapi-{digest}-{validator.__version__}.json" if folder else None
    if file is not None and (kept := _kept(file)) is not None:
        return kept
    files = _Files(references)
    found = _found(validator, references.root, files)
    if file is not None and not files.used:  # the digest is that of the one file
        with suppress(OSError):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(found), encoding="utf-8")
    return found


def _kept(file: Path) -> list[tuple[str, str]] | None:
    """What an earlier run found; None if there is none, or none that can be read."""
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
        return [(str(pointer), str(message)) for pointer, message in kept]
    except (OSError, ValueError, TypeError):
        return None


class _Files(dict[str, Any]):
    """What the validator reads other files with: every scheme comes here, and only files we may read are given.

    It would fetch any URL otherwise. Files are named as below the config's folder, so that no message holds more.
    """

    def __init__(self, references: References) -> None:
        super().__init__()
        self._references = references
        self.used = False

    def __contains__(self, scheme: object) -> bool:
        return True

    def __getitem__(self, scheme: str) -> Callable[[str], Any]:
        return self._read

    def _read(self, uri: str) -> Any:
        self.used = True
        path = uri.removeprefix("file:///")
        return self._references.below_config(path).data


def _found(validator: Any, root: Part, files: _Files) -> list[tuple[str, str]]:
    data = root.data
    version = str(data.get("openapi", data.get("swagger")))
    known = {"2": "OpenAPIV2SpecValidator", "3.0": "OpenAPIV30SpecValidator", "3.1": "OpenAPIV31SpecValidator"}
    known["3.2"] = "OpenAPIV32SpecValidator"
    name = next((name for start, name in known.items() if version.startswith(start)), "")
    if not hasattr(validator, name):
        return [("", f"the installed openapi-spec-validator does not know OpenAPI {version}; nothing was validated")]
    found: list[tuple[str, str]] = []
    try:
        from jsonschema_path import SchemaPath

        path = SchemaPath.from_dict(data, base_uri=f"file:///{root.path}", handlers=files)
        for error in getattr(validator, name)(path).iter_errors():
            if len(found) == MOST:
                found.append(("", f"there are more than these {MOST} findings"))
                break
            steps = getattr(error, "absolute_path", ())
            pointer = "".join("/" + escape(str(step)) for step in steps)
            found.append((pointer, _short(str(getattr(error, "message", error)))))
    except Exception as error:  # the validator follows references and stops at some descriptions that can be read
        found.append(("", f"openapi-spec-validator stopped: {_short(str(error) or type(error).__name__)}"))
    return found


def _short(message: str) -> str:
    line = message.split("\n")[0]
    return line if len(line) <= 300 else line[:297] + "..."
