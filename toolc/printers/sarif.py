"""Findings as SARIF 2.1.0, which code scanning of GitHub, GitLab and others reads.

One run; its rules are those with findings. Files are relative to `%SRCROOT%`, columns count Unicode code points. What
was let pass is there too, as results with a suppression. `partialFingerprints` hold as long as rule, tool and the text
of the line stay, wherever the line moves.
"""

from __future__ import annotations

import json
from collections import Counter as Tally
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote

from toolc import __version__, registry
from toolc.diagnostics import Diagnostic, Severity, worst_first
from toolc.ir import Origin
from toolc.position import Locator
from toolc.position.visible import visible
from toolc.printers import Suppressed

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# GitHub sorts security findings by a figure as CVSS has it: high above 7, medium above 4.
_SECURITY = {Severity.error: "8.0", Severity.warning: "5.0", Severity.note: "2.0"}


def show(diagnostics: Iterable[Diagnostic], root: Path, suppressed: Iterable[Suppressed] = ()) -> str:
    """One SARIF log with one run, and a line end."""
    locator = Locator(root)
    let_pass = list(suppressed)
    found = [(finding, None) for finding in worst_first(diagnostics)]
    every: list[tuple[Diagnostic, str | None]] = [*found, *let_pass]
    names = sorted({finding.rule for finding, _ in every})
    seen: Tally[str] = Tally()
    run = {
        "tool": {
            "driver": {
                "name": "toolc",
                "semanticVersion": __version__,
                "rules": [_rule(name) for name in names],
            }
        },
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The folder that toolc was run in."}}},
        "results": [_result(finding, reason, names, locator, seen) for finding, reason in every],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2) + "\n"


def _rule(name: str) -> dict[str, Any]:
    """What the log says of a rule; of what readers and passes report there is no more than the name."""
    if name not in registry.names("rules"):
        return {"id": name}
    module = registry.load("rules", name)
    summary, _, rest = (module.__doc__ or "").strip().partition("\n")
    properties: dict[str, Any] = {"tags": [module.CATEGORY]}
    if module.CATEGORY == "safety":
        properties = {"tags": ["security", "safety"], "security-severity": _SECURITY[module.SEVERITY]}
    return {
        "id": name,
        "shortDescription": {"text": summary},
        "fullDescription": {"text": summary},
        "help": {"text": rest.strip() or summary},
        "defaultConfiguration": {"level": module.SEVERITY.name},
        "properties": properties,
    }


def _result(
    finding: Diagnostic, reason: str | None, names: list[str], locator: Locator, seen: Tally[str]
) -> dict[str, Any]:
    times = f" ({finding.count} times)" if finding.count > 1 else ""
    text = f"{finding.message}{times}" + (f". {finding.help}" if finding.help else "")
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": names.index(finding.rule),
        "level": finding.severity.name,
        "message": {"text": visible(text)},
        "locations": [_location(finding.origin, locator, finding.subject)] if _has_place(finding.origin) else [],
        "partialFingerprints": {"toolcFinding/v1": _fingerprint(finding, locator, seen)},
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": index, **_location(origin, locator)} for index, origin in enumerate(finding.related[:100], 1)
        ]
    if finding.count > 1:
        result["occurrenceCount"] = finding.count
    if reason is not None:
        result["suppressions"] = [{"kind": "external", "justification": visible(reason)}]
    return result


def _has_place(origin: Origin | None) -> bool:
    return origin is not None and bool(origin.source)


def _location(origin: Origin | None, locator: Locator, subject: str = "") -> dict[str, Any]:
    origin = origin or Origin("")
    file = {"uri": quote(origin.source), "uriBaseId": "%SRCROOT%"}
    physical: dict[str, Any] = {"artifactLocation": file}
    line, column = locator.place(origin)
    if line:
        physical["region"] = {"startLine": line, "startColumn": column}
    location: dict[str, Any] = {"physicalLocation": physical}
    if subject:
        location["logicalLocations"] = [{"fullyQualifiedName": visible(subject), "kind": "function"}]
    return location


def _fingerprint(finding: Diagnostic, locator: Locator, seen: Tally[str]) -> str:
    """A hash that does not move with the line; the second of the same kind is told apart by its number."""
    text = locator.line(finding.origin).strip() if finding.origin is not None else ""
    key = "\0".join((finding.rule, finding.subject, text or finding.message))
    digest = sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"
