"""Printers: each module here turns diagnostics into one output format.

A member has `show(diagnostics, root) -> str`; root is the folder that origins are relative to.
"""
