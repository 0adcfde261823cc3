"""What a statement does, told from its first words: `CREATE TABLE`, `ALTER DOMAIN`, `COMMENT ON` …"""

from __future__ import annotations

from collections.abc import Sequence

from toolc.sources.database.lexer import Token

# Words between CREATE and what is created.
_MODIFIERS = frozenset(
    {"OR", "REPLACE", "ALTER", "GLOBAL", "LOCAL", "PRIVATE", "PUBLIC", "SHARED", "TEMP", "TEMPORARY", "UNLOGGED"}
    | {"EXTERNAL", "EDITIONABLE", "NONEDITIONABLE", "FORCE", "NOFORCE", "NO", "AGGREGATE", "CONSTRAINT", "RECURSIVE"}
    | {"UNIQUE", "CLUSTERED", "NONCLUSTERED", "FULLTEXT", "SPATIAL", "BITMAP", "TRUSTED", "PROCEDURAL", "IMMUTABLE"}
    | {"SHARDED", "DUPLICATED", "BLOCKCHAIN", "COLUMN", "ROW", "HIDDEN", "EVENT"}
)
# Modifiers that change the kind.
_TWO_WORDS = {
    ("MATERIALIZED", "VIEW"),
    ("FOREIGN", "TABLE"),
    ("TYPE", "BODY"),
    ("PACKAGE", "BODY"),
    ("EVENT", "TRIGGER"),
}
_TEMPORARY = frozenset({"TEMP", "TEMPORARY"})
_FARTHEST = 24
CREATED = frozenset(
    {"TABLE", "VIEW", "INDEX", "TYPE", "DOMAIN", "SCHEMA", "DATABASE", "SEQUENCE", "FUNCTION", "PROCEDURE", "PROC"}
    | {"TRIGGER", "EXTENSION", "RULE", "EVENT", "PACKAGE", "SYNONYM", "USER", "ROLE", "FOREIGN", "MATERIALIZED"}
    | {"LOGIN", "STATISTICS", "POLICY", "PUBLICATION", "CAST", "OPERATOR", "SERVER", "LIBRARY", "ALGORITHM", "DEFINER"}
)


def kind_of(found: Sequence[Token]) -> tuple[str, int]:
    """What a statement does, in capitals, and the index of the token behind those words."""
    if not found or found[0].kind != "word":
        return "", 0
    verb = found[0].upper
    if verb not in ("CREATE", "ALTER", "DROP"):
        return verb, 1
    index = 1
    last = min(len(found), _FARTHEST)
    while index < last:
        upper = found[index].upper
        following = found[index + 1].upper if index + 1 < len(found) else ""
        if (upper, following) in _TWO_WORDS:
            return f"{verb} {upper} {following}", index + 2
        if upper in ("ALGORITHM", "DEFINER") or upper == "SQL":  # MySQL: ALGORITHM = x DEFINER = a@b SQL SECURITY x
            index += 1
            while index < last and found[index].upper not in ("VIEW", "SQL", "DEFINER", *BODIES):
                index += 1
        elif upper in _MODIFIERS and not (upper == "EVENT" and verb == "CREATE"):
            index += 1
        else:
            return f"{verb} {upper}", index + 1
    return verb, index


def is_temporary(found: Sequence[Token]) -> bool:
    """Whether it is said that what is created goes with the session."""
    return any(token.upper in _TEMPORARY for token in found[1 : kind_of(found)[1]])


# What has a body with statements in it.
BODIES = frozenset({"FUNCTION", "PROCEDURE", "PROC", "TRIGGER", "EVENT", "PACKAGE", "RULE", "LIBRARY"})
BODY_KINDS = frozenset(f"CREATE {word}" for word in (*BODIES, "TYPE BODY", "PACKAGE BODY", "EVENT TRIGGER"))
