"""Where a database is: the variable or file that the bundle names, taken apart without telling its password."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from toolc.runtime.result import Failed
from toolc.runtime.secrets import Secrets
from toolc.runtime.surroundings import Connection

_SCHEMES = {"postgres": "postgres", "postgresql": "postgres", "mysql": "mysql", "mariadb": "mysql", "sqlite": "sqlite"}
_SHOWN = {"postgres": "PostgreSQL", "mysql": "MySQL or MariaDB", "sqlite": "SQLite"}
EXAMPLES = {
    "postgres": "postgresql://user@host:5432/name",
    "mysql": "mysql://user@host/name",
    "sqlite": "sqlite:///file.db",
}


@dataclass(frozen=True, slots=True)
class Target:
    """One database. url: for a driver that takes one. path: of a SQLite file. variable: what names it, for people."""

    dialect: str
    variable: str
    url: str = ""
    host: str = ""
    port: int = 0
    user: str = ""
    password: str = ""
    name: str = ""
    options: dict[str, str] = field(default_factory=dict)
    path: Path = Path()


def resolve(source: str, dialect: str, connection: Connection, secrets: Secrets, root: Path) -> Target:
    """The database of a source; raises Failed where none is named, or one of another kind."""
    if dialect not in EXAMPLES:
        raise Failed(f"`{source}` is a database that toolc cannot call ({dialect or 'of no known kind'}).")
    if path := connection.get("path"):
        return _file(source, str(path), root / path)
    variable = str(connection.get("url", {}).get("env", ""))
    if not variable:
        raise Failed(f"The bundle does not say where the database of `{source}` is: build it again.")
    url = secrets.address(variable, f"`{source}`").strip()
    try:
        parts = urlsplit(url)
        port = parts.port or 0
    except ValueError:
        raise Failed(f"What stands in {variable} is no address of a database.") from None
    scheme = _SCHEMES.get(parts.scheme.partition("+")[0].lower(), "")
    if scheme != dialect:
        raise Failed(f"{variable} has to name a database of {_SHOWN[dialect]}, as {EXAMPLES[dialect]}.")
    if dialect == "sqlite":
        name = unquote(parts.path.removeprefix("/"))
        return _file(source, f"${variable}", Path.cwd() / name)
    for key, value in parse_qsl(parts.query):
        if "pass" in key.lower():
            secrets.remember(value)
    return Target(
        dialect,
        variable,
        url=parts._replace(scheme="postgresql").geturl(),
        host=parts.hostname or "",
        port=port,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        name=unquote(parts.path.strip("/")),
        options=dict(parse_qsl(parts.query)),
    )


def shown(connection: Connection) -> Any:
    """Where the database is, in words that hold no secret."""
    return connection.get("path") or f"${{{connection.get('url', {}).get('env', '')}}}"


def _file(source: str, told: str, path: Path) -> Target:
    if not path.is_file():
        raise Failed(f"There is no database file for `{source}`: {told}.")
    return Target("sqlite", told, path=path.resolve())
