"""What later statements do to tables as a whole: altered, renamed, moved, dropped; and the schema in use."""

from __future__ import annotations

from toolc.diagnostics import Report
from toolc.sources.database.ddl import objects
from toolc.sources.database.ddl.alter import alter_table
from toolc.sources.database.ddl.columns import Context
from toolc.sources.database.ddl.cursor import Cursor, Unreadable
from toolc.sources.database.ddl.draft import Draft
from toolc.sources.database.ddl.script import Statement


class Changes:
    """Carries such statements out. lost: the tables of CREATE TABLE statements that are dropped again, each noted."""

    def __init__(self, context: Context, report: Report) -> None:
        self.context = context
        self.catalog = context.catalog
        self.lost = 0
        self._report = report
        self._variables: dict[str, str] = {}

    def alter(self, cursor: Cursor, statement: Statement) -> None:
        """ALTER TABLE and its kin. Raises Unreadable."""
        optional = cursor.accept("IF", "EXISTS")
        alone = cursor.accept("ONLY")
        start = cursor.start
        names = cursor.names()
        cursor.accept("*")
        draft = self.catalog.table(names)
        if draft is None:
            if optional:
                return
            # pg_dump alters sequences as tables.
            if cursor.upper in ("OWNER", "SET", "ENABLE", "CLUSTER", "RESET", "ALTER") and not cursor.sees(
                "ALTER", "COLUMN"
            ):
                return
            raise Unreadable(f"`{names[-1]}` is not defined here", start)
        old = self.catalog.key(draft.schema, draft.name)
        if renamed := alter_table(cursor, draft, self.context, alone):
            self._move(old, draft, renamed)

    def _move(self, old: tuple[str, str], draft: Draft, names: list[str]) -> None:
        """Give a table another name or schema."""
        if len(names) > 1:
            draft.schema = self.catalog.schema(names[-2])
        draft.name = names[-1] or draft.name
        key = self.catalog.key(draft.schema, draft.name)
        for child in draft.children:
            if child.partition_of is not None:
                child.partition_of = (draft.schema, draft.name)
            before = old[1]  # only PostgreSQL's tables have children, and it folds no keys
            child.inherits = [draft.name if name == before else name for name in child.inherits]
        if key != old:
            self.catalog.moved[old] = draft
            if key in self.catalog.tables.all:
                self._gone(key, draft.start)
            self.catalog.tables.pop(old)
            self.catalog.tables.put(key, draft)

    def _gone(self, key: tuple[str, str], start: int) -> None:
        """Take a table away, with its partitions."""
        pending = [self.catalog.tables.pop(key)]
        while pending:
            draft = pending.pop()
            for child in draft.children:
                part = self.catalog.key(child.schema, child.name)
                if child.partition_of is not None and self.catalog.tables.all.get(part) is child:
                    pending.append(self.catalog.tables.pop(part))
            if draft.counted:
                self.lost += 1
                message = f"`{draft.name}` is created and dropped again; no tool is made of it"
                self._report.note("dropped-table", message, self.context.at(start, draft))

    def drop(self, cursor: Cursor, statement: Statement) -> None:
        """DROP TABLE and DROP VIEW. Raises Unreadable."""
        cursor.accept("IF", "EXISTS")
        for part in cursor.commas():
            if part.is_name():
                key = self.catalog.locate(self.catalog.tables, part.names())
                if key is not None:  # scripts drop what may be there
                    self._gone(key, statement.start)

    def create_schema(self, cursor: Cursor, statement: Statement) -> None:
        """CREATE SCHEMA: tables that follow without a semicolon belong to it. Raises Unreadable."""
        cursor.accept("IF", "NOT", "EXISTS")
        if statement.ended == "" and cursor.is_name() and self.catalog.dialect != "mysql":
            name = cursor.take().name if cursor.sees("AUTHORIZATION") else cursor.name()
            if name.upper() == "AUTHORIZATION":
                name = cursor.name()
            self.catalog.path = [self.catalog.schema(name), *self.catalog.path]

    def drop_schema(self, cursor: Cursor, statement: Statement) -> None:
        """DROP SCHEMA takes its tables along. Raises Unreadable."""
        cursor.accept("IF", "EXISTS")
        for part in cursor.commas():
            name = self.catalog.schema(part.name())
            if name:
                for key in [key for key in self.catalog.tables.all if key[0] == self.catalog.key(name, "")[0]]:
                    self._gone(key, statement.start)

    def use(self, cursor: Cursor, statement: Statement) -> None:
        """USE: in MySQL the database that names without one belong to. Raises Unreadable."""
        if self.catalog.dialect != "mysql" or not cursor.is_name():
            return
        name = cursor.name()
        if not self.catalog.tables.all:
            self.catalog.default = name
        self.catalog.path = [self.catalog.schema(name)]

    def rename(self, cursor: Cursor, statement: Statement) -> None:
        """MySQL: RENAME TABLE a TO b, c TO d. Oracle: RENAME a TO b. Raises Unreadable."""
        cursor.accept("TABLE")
        for part in cursor.commas():
            key = self.catalog.locate(self.catalog.tables, part.names())
            if key is None or not part.accept("TO"):
                raise Unreadable("it renames a table that is not defined here", part.start)
            self._move(key, self.catalog.tables.all[key], part.names())

    def set_variable(self, cursor: Cursor) -> None:
        """T-SQL: SET @x = 'text' and DECLARE @x AS type = 'text', for what is executed with it. Raises Unreadable."""
        for part in cursor.commas() if self.catalog.dialect == "tsql" else ():
            name = part.take().text.lower()
            while part and part.upper != "=":
                part.take()
            if not name.startswith("@") or not part.accept("="):
                continue
            words = [token.upper for token in part.rest()]
            if words == ["SCHEMA_NAME", "(", ")"]:
                self._variables[name] = self.catalog.default
            elif len(words) == 1 and part.peek().kind == "string":
                self._variables[name] = part.peek().name
            else:
                self._variables.pop(name, None)

    def execute(self, cursor: Cursor) -> bool:
        """T-SQL: descriptions and renames are made by procedures; false for all others. Raises Unreadable."""
        name = cursor.names()[-1].lower() if cursor.is_name() else ""
        if name == "sp_addextendedproperty":
            objects.extended_property(cursor, self._variables, self.context)
        elif name == "sp_rename":
            values = [part.tokens[part.end - 1].name for part in cursor.commas() if part]
            names = objects.quoted_parts(values[0]) if len(values) > 1 else []
            column = len(values) > 2 and values[2].upper() == "COLUMN"
            key = self.catalog.locate(self.catalog.tables, names[:-1] if column else names) if names else None
            if key is not None and column:
                self.catalog.tables.all[key].rename_column(names[-1], values[1])
            elif key is not None and len(values) == 2:
                self._move(key, self.catalog.tables.all[key], [values[1]])
        else:
            return False
        return True
