"""Virtual tables, read from their text: their modules are never run."""

from __future__ import annotations

import re

from toolc.sources.database import statements
from toolc.sources.database.engine import quoted

# Endings of the tables in which virtual tables keep their data: FTS3–5, R*Tree, spellfix1, sqlite-vec.
_SHADOW = re.compile(
    r"(?:data|idx|content|docsize|config|segments|segdir|stat|node|rowid|parent|vocab|chunks|rowids|info|auxiliary"
    r"|vector_chunks\d+|metadatachunks\d+|metadatatext\d+)\Z"
)


def stand_in(sql: str, name: str) -> tuple[str, str]:
    """A plain CREATE TABLE with the same columns, empty if they cannot be told; and the module."""
    found = list(statements.tokens(sql))
    using = next((index for index, token in enumerate(found) if token.upper == "USING"), len(found))
    if using + 1 >= len(found):
        return "", ""
    module = found[using + 1].name.lower()
    columns: list[str] = []
    for item in statements.body(sql[found[using].start :]).items:
        tokens = [token for token in item.tokens if token.text != "+"]
        if not tokens or any(token.text == "=" for token in tokens[:2]):
            continue  # an option, as content='a'
        kind = "TEXT" if is_text_search(module) else ""
        if "rtree" in module:
            kind = "REAL" if columns else "INTEGER"
        columns.append(f"{quoted(tokens[0].name)} {kind}")
    if not columns and module in ("fts3", "fts4"):
        columns = ["content TEXT"]
    return f"CREATE TABLE {quoted(name)} ({', '.join(columns)})" if columns else "", module


def is_text_search(module: str) -> bool:
    """Whether the module answers MATCH."""
    return module in ("fts3", "fts4", "fts5")


def is_shadow(name: str, owner: str) -> bool:
    """Whether a table holds the data of the virtual table."""
    return name.startswith(f"{owner}_") and bool(_SHADOW.match(name[len(owner) + 1 :]))


def stored(insert: str) -> str:
    """The CREATE VIRTUAL TABLE in an INSERT INTO sqlite_schema, as the shell's .dump writes it, or an empty string."""
    if not re.match(r"INSERT\s+INTO\s+\W?sqlite_(?:schema|master)\b", insert, re.IGNORECASE):
        return ""
    texts = [token.name for token in statements.tokens(insert) if token.kind == "string"]
    return next((text for text in texts if re.match(r"CREATE\s+VIRTUAL\s+TABLE\b", text, re.IGNORECASE)), "")
