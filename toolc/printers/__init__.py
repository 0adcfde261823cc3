"""Printers: each module here turns diagnostics into one output format.

A member has `show(diagnostics, root, suppressed=()) -> str`; root is the folder that origins are relative to, and
suppressed are findings that were let pass, each with the reason.
"""

from __future__ import annotations

from toolc.diagnostics import Diagnostic

Suppressed = tuple[Diagnostic, str]
