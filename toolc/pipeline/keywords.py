"""What `search.json` holds of each tool: all that it may be found by."""

from __future__ import annotations

from typing import Any

from toolc import levels
from toolc.ir import Catalog, Tool
from toolc.schema.words import words
from toolc.thesaurus import Thesaurus, abbreviations, thesaurus

_MOST_CHARACTERS = 2_000  # of a description: what it is found by stands at its beginning


def documents(catalog: Catalog) -> list[dict[str, Any]]:
    """One document a tool, in the order of the catalog; what is empty is left out."""
    texts = (operation.description for operation in catalog.operations.values())
    known = thesaurus().extended(abbreviations(texts))
    return [_document(tool, catalog, known) for tool in catalog.tools]


def _document(tool: Tool, catalog: Catalog, known: Thesaurus) -> dict[str, Any]:
    """Old names are those that the source has: whoever knew a merged operation looks for it by its own name."""
    stub = levels.stub_in(catalog, tool)
    names = [catalog.operations[key].name for key in tool.operations]
    parameters = [name for name in tool.input_schema.get("properties", {}) if name not in tool.dispatch.select]
    found = {
        "name": tool.name,
        "stub": stub,
        "group": tool.group,
        "operations": list(tool.operations),
        "old_names": [name for name in names if name != tool.name],
        "parameters": parameters,
        "synonyms": known.others([stub, *names, tool.group]),
        "words": _others(tool.description, [stub, *names, tool.group, *parameters]),
    }
    return {key: value for key, value in found.items() if value}


def _others(description: str, known: list[str]) -> str:
    """The words of a description that nothing else of the document says, each once."""
    said = {word for text in known for word in words(text)}
    return " ".join(dict.fromkeys(word for word in words(description[:_MOST_CHARACTERS]) if word not in said))
