"""JSON Schema algebra: plain dicts in, new dicts out; draft 2020-12 with local `$defs` throughout."""
