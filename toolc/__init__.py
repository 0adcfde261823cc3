"""toolc compiles and lints tool catalogs for LLM agents."""

__version__ = "0.1.0"
