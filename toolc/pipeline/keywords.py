"""What `search.json` holds of each tool: all that it may be found by."""

from __future__ import annotations

from typing import Any

from toolc import levels
from toolc.ir import Catalog, Tool
from toolc.thesaurus import Thesaurus, abbreviations, thesaurus


def documents(catalog: Catalog) -> list[dict[str, Any]]:
    """One document a tool, in the order of the catalog; what is empty is left out."""
    texts = (operation.description for operation in catalog.operations.values())
    known = thesaurus().extended(abbreviations(texts))
    return [_document(tool, catalog, known) for tool in catalog.tools]


def _document(tool: Tool, catalog: Catalog, known: Thesaurus) -> dict[str, Any]:
    """Old names are those that the source has: whoever knew a merged operation looks for it by its own name."""
    stub = levels.stub_in(catalog, tool)
    names = [catalog.operations[key].name for key in tool.operations]
    found = {
        "name": tool.name,
        "stub": stub,
        "group": tool.group,
        "operations": list(tool.operations),
        "old_names": [name for name in names if name != tool.name],
        "parameters": [name for name in tool.input_schema.get("properties", {}) if name not in tool.dispatch.select],
        "synonyms": known.others([stub, *names, tool.group]),
    }
    return {key: value for key, value in found.items() if value}
