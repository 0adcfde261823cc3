"""MySQL and MariaDB, from information_schema: what a user sees of the database in use."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from toolc.diagnostics import Report
from toolc.sources.database import hidden
from toolc.sources.database.literals import default_of
from toolc.sources.database.model import Check, Column, Database, Default, ForeignKey, Key, Table, Type
from toolc.sources.database.servers.shared import checked
from toolc.sources.database.typenames import typed

_TABLES = """
SELECT table_name, table_type, table_comment, table_rows FROM information_schema.tables
WHERE table_schema = DATABASE() ORDER BY table_name
"""
_COLUMNS = """
SELECT table_name, column_name, column_type, is_nullable, column_default, extra, column_comment, privileges
FROM information_schema.columns WHERE table_schema = DATABASE() ORDER BY table_name, ordinal_position
"""
_VIEWS = "SELECT table_name, is_updatable FROM information_schema.views WHERE table_schema = DATABASE()"
_PARTITIONS = """
SELECT table_name, COUNT(*) FROM information_schema.partitions
WHERE table_schema = DATABASE() AND partition_name IS NOT NULL GROUP BY table_name
"""
# Not through table_constraints, which hides the keys of tables that a user may only read.
_KEYS = """
SELECT table_name, constraint_name, column_name, referenced_table_schema, referenced_table_name, referenced_column_name
FROM information_schema.key_column_usage WHERE table_schema = DATABASE()
ORDER BY table_name, constraint_name, ordinal_position
"""
_RULES = """
SELECT table_name, constraint_name, delete_rule, update_rule FROM information_schema.referential_constraints
WHERE constraint_schema = DATABASE()
"""
# MariaDB says which table a check is of, MySQL only through the constraints of tables.
_CHECKS = {
    True: """
SELECT table_name, constraint_name, check_clause FROM information_schema.check_constraints
WHERE constraint_schema = DATABASE() ORDER BY table_name, constraint_name
""",
    False: """
SELECT t.table_name, c.constraint_name, c.check_clause FROM information_schema.check_constraints c
JOIN information_schema.table_constraints t
  ON t.constraint_schema = c.constraint_schema AND t.constraint_name = c.constraint_name
WHERE c.constraint_schema = DATABASE() AND t.constraint_type = 'CHECK' ORDER BY t.table_name, c.constraint_name
""",
}
_GRANTS = """
SELECT 'user' AS kind, '' AS place, privilege_type, grantee FROM information_schema.user_privileges
UNION ALL SELECT 'schema', table_schema, privilege_type, grantee FROM information_schema.schema_privileges
UNION ALL SELECT 'table', table_name, privilege_type, grantee FROM information_schema.table_privileges
  WHERE table_schema = DATABASE()
"""
_NO_RULE = "NO ACTION", "RESTRICT"
_JSON = re.compile(r"\s*\(?\s*json_valid\s*\(\s*`?((?:[^`()]|``)+?)`?\s*\)\s*\)?\s*\Z", re.IGNORECASE)
_COLUMN_PRIVILEGES = frozenset({"select", "insert", "update"})
_TABLE_PRIVILEGES = frozenset({"select", "insert", "update", "delete"})


def read(connection: Any, report: Report) -> tuple[Database, dict[str, Any]]:
    """The structure of the database in use, and the server's name and version."""
    ask = connection.exec_driver_sql
    version = str(ask("SELECT VERSION()").scalar())
    is_mariadb = "mariadb" in version.lower()
    may = _table_privileges(ask)
    keys = _keys(ask)
    conditions = _conditions(ask, is_mariadb)
    columns = _columns(ask, is_mariadb)
    updatable = {name: answer == "YES" for name, answer in ask(_VIEWS)}
    partitioned = {name for name, _ in ask(_PARTITIONS)}
    tables = []
    for name, kind, comment, rows in ask(_TABLES):
        if kind not in ("BASE TABLE", "VIEW", "SYSTEM VERSIONED"):
            report.note("hidden-table", f"`{name}` is of kind {kind.lower()}; no tool is made of it")
            continue
        is_view = kind == "VIEW"
        own = [*columns[name]]
        plain = [check for check in conditions[name] if not _as_json(check, own)]
        primary, unique, foreign = keys.get(name, ((), [], []))
        table = Table(
            name,
            "view" if is_view else "table",
            checked(own, plain, "mysql"),
            primary,
            tuple(unique),
            tuple(foreign),
            tuple(plain),
            partitioned=name in partitioned,
            comment="" if is_view else comment or "",
            updatable=updatable.get(name),
            rows=rows,
            privileges=may(name, own),
        )
        tables.append(table)
    server = {"name": "MariaDB" if is_mariadb else "MySQL", "version": version.partition("-")[0]}
    return Database("mysql", tuple(hidden.visible(tables, report))), server


def _columns(ask: Callable[[str], Any], is_mariadb: bool) -> dict[str, list[Column]]:
    found: dict[str, list[Column]] = defaultdict(list)
    for table, name, text, nullable, default, extra, comment, privileges in ask(_COLUMNS):
        words = (extra or "").lower()
        kind = typed(text, "mysql")
        has = frozenset(privilege.strip().lower() for privilege in (privileges or "").split(","))
        update = re.search(r"on update (\S+)", words)
        generated = (
            "stored" if re.search(r"\b(?:stored|persistent)\b", words) else "virtual" if "virtual" in words else ""
        )
        column = Column(
            name,
            kind,
            not_null=nullable == "NO",
            default=None if generated else _default(default, words, kind, is_mariadb),
            identity="by default" if "auto_increment" in words else "",
            generated=generated,  # type: ignore[arg-type]
            on_update=update[1] if update else "",
            comment=comment or "",
            privileges=None if has >= _COLUMN_PRIVILEGES else has & _COLUMN_PRIVILEGES,
        )
        found[table].append(column)
    return found


def _default(text: str | None, extra: str, kind: Type, is_mariadb: bool) -> Default | None:
    """MariaDB writes a default as SQL, NULL as the word; MySQL writes the value itself, and marks expressions."""
    if text is None or (is_mariadb and text.upper() == "NULL"):
        return None
    if is_mariadb or "default_generated" in extra or text.upper().startswith("CURRENT_TIMESTAMP"):
        return default_of(text, "mysql", kind)
    if re.match(r"b'[01]*'\Z", text):
        return default_of(text, "mysql", kind)
    quoted = text.replace("\\", "\\\\").replace("'", "''")
    return default_of(f"'{quoted}'", "mysql", kind)


Keys = tuple[tuple[str, ...], list[Key], list[ForeignKey]]


def _keys(ask: Callable[[str], Any]) -> dict[str, Keys]:
    """Primary, unique and foreign keys by table."""
    home = ask("SELECT DATABASE()").scalar()
    rules = {(table, name): (on_delete, on_update) for table, name, on_delete, on_update in ask(_RULES)}
    groups: dict[tuple[str, str], list[Sequence[Any]]] = defaultdict(list)
    for table, name, *rest in ask(_KEYS):
        groups[(table, name)].append(rest)
    found: dict[str, Keys] = {}
    for (table, name), rows in groups.items():
        _, unique, foreign = found.setdefault(table, ((), [], []))
        names = tuple(row[0] for row in rows)
        _, schema, target, _ = rows[0]
        if name == "PRIMARY":
            found[table] = (names, unique, foreign)
        elif target is None:
            unique.append(Key(names, name))
        else:
            deletes, updates = ("" if rule in _NO_RULE else rule for rule in rules.get((table, name), ("", "")))
            schema = "" if schema == home else schema
            foreign.append(ForeignKey(names, target, tuple(row[3] for row in rows), schema, name, deletes, updates))
    return found


def _conditions(ask: Callable[[str], Any], is_mariadb: bool) -> dict[str, list[Check]]:
    from sqlalchemy.exc import DBAPIError

    found: dict[str, list[Check]] = defaultdict(list)
    try:
        rows = list(ask(_CHECKS[is_mariadb]))
    except DBAPIError:
        return found  # servers before 8.0.16 and 10.2 keep no checks
    for table, name, text in rows:
        found[table].append(Check(text, name=name))
    return found


def _as_json(check: Check, columns: list[Column]) -> bool:
    """Whether a check is how MariaDB spells the type JSON; the column is then of that type."""
    match = _JSON.match(check.sql)
    for index, column in enumerate(columns):
        if match is not None and column.name.lower() == match[1].replace("``", "`").lower():
            if column.type.name == "longtext":
                columns[index] = replace(column, type=Type("json", "json"))
            return True
    return False


def _table_privileges(ask: Callable[[str], Any]) -> Callable[[str, Sequence[Column]], frozenset[str] | None]:
    """What the user may do with a table: what is granted for everything, for the database, and for the table."""
    home = str(ask("SELECT DATABASE()").scalar())
    granted: Mapping[str, set[str]] = defaultdict(set)
    everywhere: set[str] = set()
    me = _accounts(ask)
    for kind, place, privilege, grantee in ask(_GRANTS):
        if grantee.lower() not in me:
            continue
        if kind == "table":
            granted[place].add(privilege.lower())
        elif kind == "user" or _matches(place, home):
            everywhere.add(privilege.lower())

    def may(table: str, columns: Sequence[Column]) -> frozenset[str] | None:
        has = everywhere | granted.get(table, set())
        for privilege in _COLUMN_PRIVILEGES:
            if all(column.privileges is None or privilege in column.privileges for column in columns):
                has.add(privilege)
        has &= _TABLE_PRIVILEGES
        return None if has == _TABLE_PRIVILEGES else frozenset(has)

    return may


def _accounts(ask: Callable[[str], Any]) -> set[str]:
    """The user's account and roles as privilege tables write them: `'name'@'host'`."""
    from sqlalchemy.exc import DBAPIError

    user, _, host = str(ask("SELECT CURRENT_USER()").scalar()).rpartition("@")
    found = {f"'{user}'@'{host}'".lower()}
    try:
        roles = [row[0] for row in ask("SELECT role_name FROM information_schema.enabled_roles") if row[0]]
    except DBAPIError:
        return found  # no roles in this version
    for role in roles:
        found |= {f"'{role}'@''".lower(), f"'{role}'@'%'".lower(), f"'{role}'".lower()}
    return found


def _matches(pattern: str, name: str) -> bool:
    """Whether a grant on a pattern of databases (`shop\\_%`) covers this one."""
    wild = {"%": ".*", "_": "."}
    parts = re.findall(r"\\.|.", pattern)
    text = "".join(wild.get(part) or re.escape(part.removeprefix("\\") or "\\") for part in parts)
    return re.fullmatch(text, name, re.IGNORECASE) is not None
