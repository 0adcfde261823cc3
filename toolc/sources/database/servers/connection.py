"""Connections that only read, end in time, and fail with one clear diagnostic that tells no secret."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from toolc.diagnostics import UserError, user_error
from toolc.sources.database.servers.address import Target

# What servers and drivers say → rule, what it means, and what to do.
_REASONS: tuple[tuple[str, str, str, str], ...] = (
    (
        r"password authentication failed|access denied for user|no password supplied|authentication failed"
        r"|role .* does not exist",
        "refused-login",
        "the server refused the user or the password",
        "check the user and the password in ${variable}, and that the user may log in from here",
    ),
    (
        r"database .* does not exist|unknown database",
        "unknown-database",
        "the server has no such database",
        "check the name at the end of ${variable}",
    ),
    (
        r"timeout expired|timed out|statement timeout|canceling statement|lost connection.*during query",
        "database-timeout",
        "it did not answer within {timeout} seconds",
        "check that the host is right and reachable, or raise `timeout` in the source",
    ),
    (
        r"refused|could not translate host|name or service not known|unreachable|getaddrinfo|failed to resolve"
        r"|nodename nor|can't connect|no such file or directory|temporary failure in name resolution"
        r"|server closed the connection",
        "unreachable-database",
        "no server answers there",
        "check host and port in ${variable}, and that the server runs and is reachable from here",
    ),
    (
        r"permission denied|command denied",
        "no-privilege",
        "the user may not read the catalog",
        "grant it USAGE on the schemas and SELECT on the tables that tools should show",
    ),
)


@contextmanager
def without_extra() -> Iterator[None]:
    """Tell how to install what a live database needs where it is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        message = f"live databases need the package `{error.name}`, which is not installed"
        raise user_error("missing-extra", message, help="pip install 'toolc[db]'") from None


@contextmanager
def connected(target: Target, timeout: int) -> Iterator[Any]:
    """A connection that cannot write; raises UserError for whatever goes wrong while it is used."""
    with without_extra():
        from sqlalchemy import create_engine
        from sqlalchemy.exc import SAWarning, SQLAlchemyError
        from sqlalchemy.pool import NullPool

        engine = create_engine(target.url, poolclass=NullPool, connect_args=_arguments(target, timeout))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SAWarning)  # types it does not know: they are asked for otherwise
        try:
            with engine.connect() as connection:
                if target.dialect == "mysql":
                    connection.exec_driver_sql("SET SESSION TRANSACTION READ ONLY")
                    connection.rollback()
                yield connection
        except UserError:
            raise
        except (SQLAlchemyError, OSError, UnicodeError) as error:
            raise failure(target, error, timeout) from None
        finally:
            engine.dispose()


def _arguments(target: Target, timeout: int) -> dict[str, Any]:
    if target.dialect == "postgres":
        limit = f"-c statement_timeout={timeout * 1000} -c default_transaction_read_only=on"
        return {"connect_timeout": timeout, "options": limit, "application_name": "toolc"}
    return {"connect_timeout": timeout, "read_timeout": timeout, "write_timeout": timeout, "program_name": "toolc"}


def failure(target: Target, error: Exception, timeout: int) -> UserError:
    """The error as users see it: where, what it means, and the server's words without secrets."""
    said = str(getattr(error, "orig", None) or error)
    for pattern, rule, meaning, advice in _REASONS:
        if re.search(pattern, said, re.IGNORECASE):
            message = f"{target.where}: {meaning.format(timeout=timeout)}"
            return user_error(rule, message, help=advice.replace("{variable}", target.variable))
    return user_error("unreadable-database", f"{target.where} cannot be read: {_plain(said, target)}")


def _plain(said: str, target: Target) -> str:
    """The first line of what a driver said, without passwords."""
    line = next((line.strip() for line in said.splitlines() if line.strip()), "no reason is given")
    for secret in target.secrets:
        line = line.replace(secret, "***")
    return re.sub(r"\w+://\S+", "(address)", line)[:300]
