"""Scratch databases on the servers that tests use; a server that does not answer fails the test."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import unquote, urlsplit

POSTGRES = os.environ.get("TOOLC_TEST_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/postgres")
MYSQL = os.environ.get("TOOLC_TEST_MYSQL_URL", "mysql://root@127.0.0.1:3306/")


def _at(url: str, database: str, user: str = "", password: str = "") -> str:
    """The address with another database, and another user if one is given."""
    parts = urlsplit(url)
    netloc = f"{user}:{password}@{parts.netloc.rpartition('@')[2]}" if user else parts.netloc
    return parts._replace(netloc=netloc, path=f"/{database}").geturl()


@contextmanager
def postgres(sql: str = "") -> Iterator[tuple[str, Any]]:
    """The address of a fresh PostgreSQL database in which sql was run, and a connection to it."""
    import psycopg

    name = f"toolc_f_{uuid.uuid4().hex[:10]}"
    with psycopg.connect(POSTGRES, autocommit=True) as server:
        server.execute(f"CREATE DATABASE {name}")
        try:
            url = _at(POSTGRES, name)
            with psycopg.connect(url, autocommit=True, prepare_threshold=None) as connection:
                connection.execute(sql.encode())
                yield url, connection
        finally:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def mysql(sql: str = "") -> Iterator[tuple[str, Any]]:
    """The address of a fresh MariaDB or MySQL database in which sql was run, and a connection to it."""
    import pymysql
    from pymysql.constants import CLIENT

    name = f"toolc_f_{uuid.uuid4().hex[:10]}"
    parts = urlsplit(MYSQL)
    login = {"host": parts.hostname, "port": parts.port or 3306, "user": parts.username, "autocommit": True}
    login |= {"password": unquote(parts.password or ""), "client_flag": CLIENT.MULTI_STATEMENTS}
    server = pymysql.connect(**login)
    try:
        with server.cursor() as cursor:
            cursor.execute(f"CREATE DATABASE {name}")
        connection = pymysql.connect(**login, database=name)
        try:
            with connection.cursor() as cursor:
                if sql.strip():
                    cursor.execute(sql)
                    while cursor.nextset():
                        pass
            yield _at(MYSQL, name), connection
        finally:
            connection.close()
    finally:
        with server.cursor() as cursor:
            cursor.execute(f"DROP DATABASE IF EXISTS {name}")
        server.close()


def as_user(url: str, user: str, password: str) -> str:
    """The address for another user."""
    return _at(url, urlsplit(url).path.strip("/"), user, password)
