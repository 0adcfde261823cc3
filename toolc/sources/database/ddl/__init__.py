"""Schema files of PostgreSQL, MySQL, MariaDB, SQL Server and Oracle, read for their structure; nothing is run."""

from toolc.sources.database.ddl.reader import read

__all__ = ["read"]
