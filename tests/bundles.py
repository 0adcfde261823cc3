"""Bundles built by tests, in a folder beside their config."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from toolc import config, output, pipeline
from toolc.diagnostics import Report
from toolc.runtime import Bundle


def built(folder: Path, **keys: Any) -> Bundle:
    """The bundle of a config with these keys, written to `folder/bundle`."""
    (folder / "toolc.yaml").write_text(yaml.safe_dump({"version": 1, "name": "test", **keys}))
    result = pipeline.build(config.load(folder / "toolc.yaml", Report()))
    assert not result.failed
    output.write(result.files, folder / "bundle")
    return Bundle.load(folder / "bundle")
