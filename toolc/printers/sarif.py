"""Findings as SARIF 2.1.0, which code scanning of GitHub, GitLab and others reads.

One run; its rules are those with findings. Files are relative to `%SRCROOT%`, the top of the repository, and columns
count Unicode code points. What was let pass is there too, as results with a suppression. `partialFingerprints` hold as
long as rule, tool and the text of the line stay, wherever the line moves.

GitHub refuses a whole log in which one result has no place or one rule no texts, so every result has a line and every
rule a description.
"""

from __future__ import annotations

import json
import os
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
from toolc.printers import Checkout, Suppressed, named

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
# GitHub sorts security findings by a figure as CVSS has it: high above 7, medium above 4.
_SECURITY = {Severity.error: "8.0", Severity.warning: "5.0", Severity.note: "2.0"}

# Where findings are put that have no place.
_NOWHERE = "toolc.yaml"


def show(diagnostics: Iterable[Diagnostic], root: Path, suppressed: Iterable[Suppressed] = ()) -> str:
    """One SARIF log with one run, and a line end."""
    locator, checkout = Locator(root), Checkout(root)
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
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The top of the repository."}}},
        "results": [_result(finding, reason, names, locator, checkout, seen) for finding, reason in every],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2) + "\n"


def _rule(name: str) -> dict[str, Any]:
    """What the log says of a rule; what readers and passes report has no page, so its name in words."""
    if name not in registry.names("rules"):
        words = {"text": f"{name.replace('-', ' ').capitalize()}; the message says what it is about."}
        return {"id": name, "shortDescription": words, "fullDescription": words, "help": words}
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
    finding: Diagnostic,
    reason: str | None,
    names: list[str],
    locator: Locator,
    checkout: Checkout,
    seen: Tally[str],
) -> dict[str, Any]:
    text = named(finding) + (f". {finding.help}" if finding.help else "")
    origin = finding.origin if finding.origin and finding.origin.source else Origin(_NOWHERE)
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": names.index(finding.rule),
        "level": finding.severity.name,
        "message": {"text": _plain(text)},
        "locations": [_location(origin, locator, checkout, finding.subject)],
        "partialFingerprints": {"toolcFinding/v1": _fingerprint(finding, locator, seen)},
    }
    if finding.related:
        result["relatedLocations"] = [
            {"id": index, **_location(origin, locator, checkout)}
            for index, origin in enumerate(finding.related[:100], 1)
        ]
    if finding.count > 1:
        result["occurrenceCount"] = finding.count
    if reason is not None:
        result["suppressions"] = [{"kind": "external", "justification": _plain(reason)}]
    return result


def _plain(text: str) -> str:
    """Text for a message, in which `[words](address)` from the user's file would be a link (SARIF 3.11.6)."""
    return visible(text).replace("](", "] (")


def _location(origin: Origin, locator: Locator, checkout: Checkout, subject: str = "") -> dict[str, Any]:
    line, column = locator.place(origin)
    physical = {
        "artifactLocation": _file(checkout.path(origin.source)),
        "region": {"startLine": line, "startColumn": column} if line else {"startLine": 1},
    }
    location: dict[str, Any] = {"physicalLocation": physical}
    if subject:
        location["logicalLocations"] = [{"fullyQualifiedName": visible(subject), "kind": "function"}]
    return location


def _file(path: str) -> dict[str, str]:
    if Path(path).is_absolute():
        return {"uri": Path(path).as_uri()}
    return {"uri": quote(os.fsencode(path)), "uriBaseId": "%SRCROOT%"}  # names need not be UTF-8


def _fingerprint(finding: Diagnostic, locator: Locator, seen: Tally[str]) -> str:
    """A hash that does not move with the line; the second of the same kind is told apart by its number."""
    text = locator.line(finding.origin).strip() if finding.origin is not None else ""
    key = "\0".join((finding.rule, finding.subject, text or finding.message))
    digest = sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    seen[digest] += 1
    return f"{digest}:{seen[digest]}"
