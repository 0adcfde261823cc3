"""What the commands do, without their printing: build, lint, tokens, verify.

Each is imported when it is first asked for: a lint of plain files needs neither the passes nor the targets of a build.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolc.pipeline.building import BuildResult, build
    from toolc.pipeline.checking import Verification, verify_bundle
    from toolc.pipeline.linting import Choice, LintResult, lint
    from toolc.pipeline.measuring import tokens
    from toolc.pipeline.unchanged import keep, picture

__all__ = [
    "BuildResult",
    "Choice",
    "LintResult",
    "Verification",
    "build",
    "keep",
    "lint",
    "picture",
    "tokens",
    "verify_bundle",
]

_HOMES = {
    "building": ("BuildResult", "build"),
    "checking": ("Verification", "verify_bundle"),
    "linting": ("Choice", "LintResult", "lint"),
    "measuring": ("tokens",),
    "unchanged": ("keep", "picture"),
}


def __getattr__(name: str) -> Any:
    for module, names in _HOMES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
