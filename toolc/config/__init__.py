"""Reads toolc.yaml: strictly, with what it includes, every problem told at its place."""

from toolc.config.loading import FILE_NAME, catalogs, load
from toolc.config.model import (
    Auth,
    Budget,
    Budgets,
    Config,
    Consolidate,
    GroupEntry,
    Lint,
    Override,
    Profile,
    Reason,
    SourceEntry,
    TargetEntry,
)
from toolc.config.plain import detect, for_files, is_config, source_name
from toolc.config.schema import schema

__all__ = [
    "FILE_NAME",
    "Auth",
    "Budget",
    "Budgets",
    "Config",
    "Consolidate",
    "GroupEntry",
    "Lint",
    "Override",
    "Profile",
    "Reason",
    "SourceEntry",
    "TargetEntry",
    "catalogs",
    "detect",
    "for_files",
    "is_config",
    "load",
    "schema",
    "source_name",
]
