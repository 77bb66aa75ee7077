"""Rows that are known to be wrong, with the reason; one that is right must leave this table."""

KNOWN = {}
