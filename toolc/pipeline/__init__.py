"""What the commands do, without their printing: build, lint, tokens, verify."""

from toolc.pipeline.building import BuildResult, build
from toolc.pipeline.checking import Verification, verify_bundle
from toolc.pipeline.linting import Choice, LintResult, lint
from toolc.pipeline.measuring import tokens
from toolc.pipeline.summary import summary
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
    "summary",
    "tokens",
    "verify_bundle",
]
