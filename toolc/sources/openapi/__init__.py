"""OpenAPI 2.0, 3.0, 3.1 and 3.2 descriptions, JSON or YAML, in one file or many.

Read structurally, without validating the whole: a bad operation costs that operation and gives a diagnostic. Every
parameter and body field is an argument, or named in a diagnostic. Fields of an object body stand beside the parameters
where that changes nothing; another body is one argument. Where several places share a name, the first of path, query,
querystring, header, cookie, body keeps it and the others are called `<place>_<name>`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from toolc.diagnostics import user_error
from toolc.ir import Origin, Source
from toolc.sources import Context, Reading
from toolc.sources.openapi import validation
from toolc.sources.openapi.findings import Findings, Problem
from toolc.sources.openapi.operations import Reader
from toolc.sources.openapi.places import Place
from toolc.sources.openapi.references import References


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of an `openapi` source."""

    path: str = field(metadata={"doc": "the description, JSON or YAML, relative to this file"})
    server: str = field(default="", metadata={"doc": "base URL to call instead of the one the description names"})
    ref_folders: tuple[str, ...] = field(
        default=(),
        metadata={"doc": "folders outside of the config's own that `$ref` may read from"},
    )
    validate_spec: bool = field(
        default=False, metadata={"doc": "check the whole description with openapi-spec-validator; slow the first time"}
    )


def recognise(data: Any) -> bool:
    """Whether parsed data looks like an OpenAPI description."""
    if not isinstance(data, dict):
        return False
    return str(data.get("openapi", "")).startswith("3") or str(data.get("swagger", "")).startswith("2")


def read(options: Options, context: Context) -> Reading:
    """The operations of a description; raises UserError if it is none."""
    document = context.document(options.path)
    _check(document.data, Origin(document.path))
    references = References(context, document, options.ref_folders)
    findings = Findings(context.strict)
    root = Place(references.root.data, references.root, "")
    if options.validate_spec:
        validation.validate(references, document.digest, findings)
    _note_webhooks(root, findings)
    operations = Reader(context.name, references, findings, options.server).operations()
    findings.report(context.report)
    info = root.value.get("info") if isinstance(root.value.get("info"), dict) else {}
    source = Source(
        name=context.name,
        type="openapi",
        title=str(info.get("title") or ""),
        description=str(info.get("description") or info.get("summary") or "").strip().split("\n\n")[0],
        lead=True,
        separate=("read", "write", "destructive"),
        tag_descriptions=_tags(root),
        files=tuple(sorted(context.files)),
        operations=len(operations),
    )
    return Reading(source, operations)


def _check(data: Any, origin: Origin) -> None:
    if not isinstance(data, dict) or not ("openapi" in data or "swagger" in data):
        raise user_error(
            "not-openapi",
            "this is no OpenAPI description: it has neither `openapi` nor `swagger` at its top",
            origin,
            "Check `path`, or set another `type` for this source.",
        )
    if not recognise(data):
        key = "openapi" if "openapi" in data else "swagger"
        raise user_error(
            "unsupported-version",
            f"OpenAPI version {data[key]!r} is not known; 2.0, 3.0, 3.1 and 3.2 are read",
            origin.at(key),
        )
    if not isinstance(data.get("paths", {}), dict):
        raise user_error("not-openapi", "`paths` has to be a mapping of paths", origin.at("paths"))


def _note_webhooks(root: Place, findings: Findings) -> None:
    """Webhooks are calls that the API makes to others: nothing a model could call."""
    for key in ("webhooks", "x-webhooks"):
        if hooks := root.items(key):
            text = f"{len(hooks)} webhook{'s' * (len(hooks) > 1)} skipped: they are calls that the API makes, not takes"
            findings.add(Problem("webhook-skipped", text, root.at(key).origin, "note"))


def _tags(root: Place) -> dict[str, str]:
    """What the description says of its tags, by name; the summary (3.2) where there is no description."""
    tags = root.value.get("tags")
    found: dict[str, str] = {}
    for tag in tags if isinstance(tags, list) else ():
        if isinstance(tag, dict) and isinstance(tag.get("name"), str):
            text = tag.get("description") or tag.get("summary")
            found[tag["name"]] = text.strip() if isinstance(text, str) else ""
    return found
