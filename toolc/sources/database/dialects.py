"""Whose SQL a text is: the names that users give dialects, and which one a text looks like."""

from __future__ import annotations

import re

from toolc.sources.database.model import Dialect

NAMES: dict[str, Dialect] = {
    "postgres": "postgres",
    "postgresql": "postgres",
    "mysql": "mysql",
    "mariadb": "mysql",
    "sqlite": "sqlite",
    "sqlite3": "sqlite",
    "tsql": "tsql",
    "sqlserver": "tsql",
    "mssql": "tsql",
    "oracle": "oracle",
}
SHOWN: dict[Dialect, str] = {
    "postgres": "PostgreSQL",
    "mysql": "MySQL or MariaDB",
    "sqlite": "SQLite",
    "tsql": "SQL Server",
    "oracle": "Oracle",
}
# What one dialect writes and the others do not, or seldom: a weight, and how it looks.
_SIGNS: dict[Dialect, tuple[tuple[int, str], ...]] = {
    "postgres": (
        (2, r"\b(?:BIG|SMALL)?SERIAL\b"),
        (2, r"::\s*\w"),
        (2, r"\b(?:TIMESTAMPTZ|JSONB|BYTEA|CITEXT|TSVECTOR|INET|CIDR)\b"),
        (4, r"^COPY\b.*\bFROM\s+STDIN\b"),
        (4, r"\bALTER\s+TABLE\s+ONLY\b"),
        (4, r"\b(?:PG_CATALOG|SEARCH_PATH|PLPGSQL)\b"),
        (4, r"\bCREATE\s+EXTENSION\b"),
        (3, r"\bAS\s+ENUM\s*\("),
        (2, r"\bNEXTVAL\s*\("),
        (2, r"^\\(?:connect|c|set|restrict)\b"),
        (2, r"\b(?:CHARACTER\s+VARYING|(?:WITHOUT|WITH)\s+TIME\s+ZONE)\b"),
        (2, r"\b(?:TEXT|INT|INTEGER|UUID|VARCHAR)\[\]"),
        (2, r"\bGENERATED\s+(?:ALWAYS|BY\s+DEFAULT)\s+AS\s+IDENTITY\b"),
        (3, r"\b(?:PARTITION\s+OF|INHERITS|ATTACH\s+PARTITION)\b"),
        (2, r"\bUSING\s+(?:GIN|GIST|BRIN|BTREE)\s*\("),
        (3, r"\bOWNER\s+TO\b"),
        (1, r"\b(?:UUID|BOOLEAN|DOUBLE\s+PRECISION)\b|\bNOW\(\)|\bGEN_RANDOM_UUID\b"),
        (1, r"\$\w*\$"),
    ),
    "mysql": (
        (2, r"`\w+`"),
        (4, r"\bENGINE\s*=|\bAUTO_INCREMENT\b"),
        (4, r"/\*!\d{5}|^DELIMITER\b|\bON\s+UPDATE\s+CURRENT_TIMESTAMP\b"),
        (3, r"\bUNSIGNED\b|\b(?:DEFAULT\s+)?CHARSET\b|\bCHARACTER\s+SET\b"),
        (3, r"\b(?:KEY|INDEX)\s+(?:`|\w+\s*\()"),
        (2, r"\b(?:TINYINT|MEDIUMINT|MEDIUMTEXT|LONGTEXT|TINYTEXT|MEDIUMBLOB|LONGBLOB)\b"),
        (2, r"\bCOMMENT\s*=?\s*'|\bLOCK\s+TABLES\b|\w\s+(?:ENUM|SET)\s*\(\s*'"),
        (1, r"\b(?:INT|BIGINT)\(\d+\)"),
    ),
    "sqlite": (
        (5, r"\bAUTOINCREMENT\b|\bWITHOUT\s+ROWID\b|\bCREATE\s+VIRTUAL\s+TABLE\b|^\s*PRAGMA\b"),
        (4, r"\bSQLITE_\w+|\bSTRICT\s*;|\bUSING\s+FTS\d"),
        (3, r"\bON\s+CONFLICT\s+(?:REPLACE|IGNORE|ABORT|FAIL|ROLLBACK)\b"),
        (3, r"\[\w+\]\s+(?:INTEGER|REAL|TEXT|BLOB)\b"),
        (1, r"\bINTEGER\s+(?:NOT\s+NULL\s+)?PRIMARY\s+KEY\b|\b(?:DATETIME|BLOB)\b"),
    ),
    "tsql": (
        (4, r"^\s*GO\s*$|\[dbo\]|\[\w+\]\.\[\w+\]|\bsp_addextendedproperty\b"),
        (4, r"\b(?:NON)?CLUSTERED\b"),
        (3, r"\bIDENTITY\s*(?:\(|\b(?=\s+(?:NOT|PRIMARY)))|\(MAX\)"),
        (3, r"\b(?:UNIQUEIDENTIFIER|DATETIME2|DATETIMEOFFSET|SMALLMONEY|SMALLDATETIME|ROWVERSION)\b"),
        (2, r"\bGETDATE\(\)|\bNEWID\(\)|\[\w+\]\s+\[\w+"),
        (1, r"\bNVARCHAR\b|\[\w+\]\s+\w+"),
    ),
    "oracle": (
        (5, r"\bN?VARCHAR2\b"),
        (3, r"\bNUMBER\b|\bSYSDATE\b|\bSYSTIMESTAMP\b|\bBY\s+DEFAULT\s+ON\s+NULL\b"),
        (3, r"^(?:REM|PROMPT|SET\s+DEFINE|WHENEVER\s+SQLERROR)\b"),
        (2, r"^/\s*$|\bUSING\s+INDEX\b|\bCLOB\b"),
    ),
}
_COMMENT = re.compile(r"--[^\n]*+|/\*(?!!)[^*]*+(?:\*(?!/)[^*]*+)*+\*/")
# The beginning of a text shows whose it is.
_LOOKED_AT = 200_000
_MOST_OF_ONE = 4


def detect(text: str) -> tuple[Dialect, list[str]]:
    """The dialect that a text looks like, and the words that tell it; PostgreSQL if none do."""
    sample = _COMMENT.sub(" ", text[:_LOOKED_AT])
    best: Dialect = "postgres"
    most = 0
    told: list[str] = []
    for dialect in ("sqlite", "postgres", "mysql", "tsql", "oracle"):
        score = 0
        words: list[str] = []
        for weight, look in _SIGNS[dialect]:
            found = _some(look, sample)
            score += weight * len(found)
            words += [word for word in dict.fromkeys(found) if word not in words]
        if score > most:
            best, most, told = dialect, score, words
    return best, told[:3]


def _some(look: str, sample: str) -> list[str]:
    found = []
    for match in re.finditer(look, sample, re.IGNORECASE | re.MULTILINE):
        found.append(" ".join(match.group().split()))
        if len(found) == _MOST_OF_ONE:
            break
    return found
