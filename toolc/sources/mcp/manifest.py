"""Packed MCP servers: the manifest of an `.mcpb` or `.dxt` file, or beside an unpacked one."""

from __future__ import annotations

import json
import stat
import sys
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from toolc import documents
from toolc.diagnostics import UserError, user_error
from toolc.documents import Document
from toolc.ir import Origin
from toolc.sources.mcp.servers import Server

if TYPE_CHECKING:
    import zipfile

FILE = "manifest.json"
ENDINGS = (".mcpb", ".dxt")
# Bytes of the manifest, of all files together once unpacked, and the number of files. Node servers bring thousands.
LARGEST_MANIFEST = 4 * 1024 * 1024
LARGEST = 512 * 1024 * 1024
MOST = 50_000
_CHUNK = 1024 * 1024


def is_archive(path: str) -> bool:
    """Whether the file is a packed server, by its ending."""
    return Path(path).suffix.lower() in ENDINGS


def recognise(data: Any) -> bool:
    """Whether data is the manifest of a packed server."""
    versioned = isinstance(data, dict) and ("manifest_version" in data or "dxt_version" in data)
    return versioned and isinstance(data.get("server"), dict)


def read(path: Path, shown: str) -> Document:
    """The manifest in a packed server, shown as a file in it; raises UserError."""
    import zipfile

    inside = f"{shown}/{FILE}"
    try:
        whole = sha256()
        with path.open("rb") as handle:
            while chunk := handle.read(_CHUNK):
                whole.update(chunk)
        with zipfile.ZipFile(path) as archive, archive.open(FILE) as file:
            data = file.read(LARGEST_MANIFEST + 1)
    except KeyError:
        raise user_error("no-manifest", f"{shown} has no {FILE} at its top", Origin(shown)) from None
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        raise _unreadable(shown, error) from None
    if len(data) > LARGEST_MANIFEST:
        raise user_error("input-limit", f"{inside} is larger than {LARGEST_MANIFEST // 1024**2} MB", Origin(shown))
    text = documents.decode(data, inside)
    return Document(shown, text, documents.parse(text, inside), "json", whole.hexdigest())


def server(name: str, document: Document, path: Path) -> Server:
    """How the packed server is started here; raises UserError if the manifest does not say."""
    origin = Origin(document.path)
    data = document.data
    if not recognise(data):
        raise user_error("no-manifest", f"{document.path} is no manifest of a packed server", origin)
    config = data["server"].get("mcp_config")
    config = config if isinstance(config, dict) else {}
    here = config.get("platform_overrides")
    here = here.get(sys.platform) if isinstance(here, dict) else None
    config = {**config, **(here if isinstance(here, dict) else {})}
    command, args, env = config.get("command"), config.get("args") or [], config.get("env") or {}
    if not isinstance(command, str) or not command or not isinstance(args, list) or not isinstance(env, dict):
        message = "the manifest does not say how its server is started"
        advice = "it needs `server.mcp_config` with a `command` and a list `args`"
        raise user_error("missing-key", message, origin.at("server"), advice)
    settings = data.get("user_config")
    return Server(
        name,
        "stdio",
        document.path,
        command=command,
        args=tuple(map(str, args)),
        env={str(key): str(value) for key, value in env.items()},
        folder=path.parent,
        inputs={key: value for key, value in settings.items() if isinstance(value, dict)}
        if isinstance(settings, dict)
        else {},
        archive=path,
        origin=origin,
    )


def identity(data: Mapping[str, Any]) -> dict[str, str]:
    """Name and version, as the manifest has them."""
    return {key: data[key] for key in ("name", "version") if isinstance(data.get(key), str)}


def unpack(path: Path, folder: Path, shown: str) -> None:
    """Unpack a server into an empty folder; raises UserError for an archive that would do more than that.

    Sizes are counted while unpacking, as those in the archive are only what it says of itself.
    """
    import zipfile

    written = 0
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            if len(entries) > MOST:
                raise user_error("input-limit", f"{shown} holds more than {MOST:,} files", Origin(shown))
            for entry in entries:
                target = _target(entry, folder, shown)
                if target is None:
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as source, target.open("xb") as file:
                    while chunk := source.read(_CHUNK):
                        written += len(chunk)
                        if written > LARGEST:
                            message = f"{shown} unpacks to more than {LARGEST // 1024**2} MB"
                            raise user_error("input-limit", message, Origin(shown), "check where it comes from")
                        file.write(chunk)
                if (entry.external_attr >> 16) & stat.S_IXUSR:
                    target.chmod(0o755)
    except (OSError, zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, ValueError) as error:
        raise _unreadable(shown, error) from None


def _target(entry: zipfile.ZipInfo, folder: Path, shown: str) -> Path | None:
    """Where an entry goes, None for a folder; raises UserError for one that leads out."""
    path = PurePosixPath(entry.filename)
    kind = stat.S_IFMT(entry.external_attr >> 16)
    outside = path.is_absolute() or ".." in path.parts or "\\" in entry.filename or ":" in entry.filename
    if outside or kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        what = "leads out of its folder" if outside else "is a link or a device"
        message = f"{shown} holds {json.dumps(entry.filename[:80])}, which {what}; nothing of it is run"
        raise user_error("unsafe-archive", message, Origin(shown), "get the file from its author again")
    return None if entry.is_dir() else folder.joinpath(*path.parts)


def _unreadable(shown: str, error: Exception) -> UserError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return user_error(
        "unreadable-file", f"{shown} cannot be read as a packed MCP server: {reason}", Origin(shown), "get it again"
    )
