"""The written form of a database's structure, in which snapshots keep it: stable, sorted, without rows and places."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

from toolc import bind
from toolc.diagnostics import Report, UserError
from toolc.ir import Origin
from toolc.sources.database.model import Database

# What changes while the schema stands still, and what is a place in another file.
_LEFT_OUT = frozenset({"rows", "origin"})


def encode(database: Database) -> dict[str, Any]:
    """The structure as JSON: tables by schema and name, nothing that has its default."""
    data: dict[str, Any] = _encode(database)
    for kind in ("tables", "partitions"):
        if kind in data:
            data[kind].sort(key=lambda table: (table.get("schema", ""), table["name"]))
    return data


def decode(data: Mapping[str, Any], origin: Origin) -> Database:
    """The structure of data in the form of `encode`, its places being those in the data; raises UserError."""
    report = Report()
    database = bind.bind(Database, dict(data), origin, report)
    if database is None:
        raise UserError(*report.diagnostics)
    return database


def _encode(value: Any) -> Any:
    if is_dataclass(value):
        return {
            field.name: _encode(inner)
            for field in fields(value)
            if field.name not in _LEFT_OUT and not _is_default(field, inner := getattr(value, field.name))
        }
    if isinstance(value, frozenset):
        return sorted(value)
    if isinstance(value, tuple | list):
        return [_encode(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _encode(value[key]) for key in sorted(value)}
    return value


def _is_default(field: Any, value: Any) -> bool:
    if field.default is not MISSING:
        return bool(value == field.default) and type(value) is type(field.default)
    return field.default_factory is not MISSING and bool(value == field.default_factory())
