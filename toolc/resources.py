"""Where toolc's own data files are, and where it may keep a cache."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

PACKAGE = Path(__file__).parent


def data(kind: Literal["templates", "catalogs"]) -> Path:
    """The folder of this kind: inside the installed wheel, or at the top of a checkout."""
    installed = PACKAGE / "_data" / kind
    return installed if installed.is_dir() else PACKAGE.parent / kind


def cache_folder() -> Path | None:
    """The user's cache folder for toolc (it may not exist yet), or None where the user has no home.

    TOOLC_CACHE_DIR names it outright; else `toolc` below XDG_CACHE_HOME, which counts only if absolute (XDG Base
    Directory Specification 0.8), else below ~/.cache.
    """
    own = os.environ.get("TOOLC_CACHE_DIR")
    if own:
        return Path(own)
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if shared.is_absolute():
        return shared / "toolc"
    try:
        return Path.home() / ".cache" / "toolc"
    except RuntimeError:
        return None
