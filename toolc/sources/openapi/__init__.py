"""OpenAPI 2.0, 3.0, 3.1 and 3.2 descriptions, JSON or YAML, in one file or many.

Read structurally, without validating the whole: a bad operation costs that operation and gives a diagnostic. Every
parameter and body field is an argument, or named in a diagnostic. Fields of an object body stand beside the parameters
where that changes nothing; another body is one argument. Where several places share a name, the first of path, query,
querystring, header, cookie, body keeps it and the others are called `<place>_<name>`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from toolc import address, documents, snapshot
from toolc.bind import Env
from toolc.diagnostics import Report, user_error
from toolc.ir import Origin, Source
from toolc.snapshot import Snapshot
from toolc.sources import Context, Live, Reading
from toolc.sources.openapi import validation
from toolc.sources.openapi.findings import Findings, Problem
from toolc.sources.openapi.operations import Reader
from toolc.sources.openapi.places import Place
from toolc.sources.openapi.references import References


@dataclass(frozen=True, slots=True)
class Options:
    """The keys of an `openapi` source."""

    path: str = field(default="", metadata={"doc": "the description, JSON or YAML, relative to this file"})
    server: str = field(default="", metadata={"doc": "base URL to call instead of the one the description names"})
    ref_folders: tuple[str, ...] = field(
        default=(),
        metadata={"doc": "folders outside of the config's own that `$ref` may read from"},
    )
    validate_spec: bool = field(
        default=False, metadata={"doc": "check the whole description with openapi-spec-validator; slow the first time"}
    )
    url: str | Env | None = field(
        default=None, metadata={"doc": "where `toolc pull` fetches the description, or {env: NAME of its variable}"}
    )
    headers: Mapping[str, Env] = field(
        default_factory=dict, metadata={"doc": "HTTP headers to fetch it with, each as {env: NAME of the variable}"}
    )
    allow_http: bool = field(default=False, metadata={"doc": "fetch from other machines without encryption"})
    timeout: int = field(default=30, metadata={"doc": "seconds to wait while fetching", "min": 1})
    snapshot: str = field(
        default="", metadata={"doc": "where pull keeps it, and builds read it (default snapshots/<source>.json)"}
    )


def recognise(data: Any) -> bool:
    """Whether parsed data looks like an OpenAPI description."""
    if not isinstance(data, dict):
        return False
    return str(data.get("openapi", "")).startswith("3") or str(data.get("swagger", "")).startswith("2")


def read(options: Options, context: Context) -> Reading:
    """The operations of a description; raises UserError if it is none."""
    path = _file(options, context)
    document = context.document(path)
    snapshot.check(document, "openapi", context.report)
    _check(document.data, Origin(document.path))
    references = References(context, document, options.ref_folders)
    findings = Findings(context.strict)
    root = Place(references.root.data, references.root, "")
    if options.validate_spec:
        validation.validate(references, document.digest, findings)
    _note_webhooks(root, findings)
    own = str(root.value.get("$self", ""))  # 3.2: what relative addresses are relative to
    retrieved = own if own.startswith(("https://", "http://")) else options.url if isinstance(options.url, str) else ""
    operations = Reader(context.name, references, findings, options.server, retrieved).operations()
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
        vendored=not options.path,
        files=tuple(sorted(context.files)),
        operations=len(operations),
    )
    return Reading(source, operations)


def live(options: Options, context: Context) -> tuple[Live, ...]:
    """The address to fetch the description from, if there is one."""
    if options.url is None:
        return ()
    path = _file(options, context, must_exist=False)
    fetch = partial(_fetch, context.name, options)
    return (Live(context.name, address.shown(options.url), path, options.timeout, fetch),)


def _fetch(name: str, options: Options, report: Report) -> Snapshot:
    from toolc.sources.openapi import fetching

    return fetching.snapshot(name, options.url or "", options.headers, options.allow_http, options.timeout, report)


def _file(options: Options, context: Context, *, must_exist: bool = True) -> str:
    """The file to read; raises UserError where the keys name none, or it was not pulled yet."""
    if options.path and options.url is not None:
        raise user_error(
            "conflicting-keys",
            f"source `{context.name}` has both `path` and `url`",
            help="keep `url`, and `toolc pull` writes the file; where to, `snapshot` says",
        )
    if options.path:
        return options.path
    if options.url is None and not options.snapshot:
        advice = "say where it is: `path: specs/api.json`, or `url: https://…` to pull it"
        raise user_error("missing-key", f"source `{context.name}` names no description", help=advice)
    path = options.snapshot or snapshot.default_path(context.name)
    if must_exist and not (context.base / path).is_file():
        raise snapshot.missing(context.name, documents.display(context.base / path, context.root))
    return path


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
