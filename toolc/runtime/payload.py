"""Request bodies: JSON, forms, multipart, text and bytes out of one value."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from toolc.runtime import styles

FORM = "application/x-www-form-urlencoded"
_LINES = {"jsonl": "", "x-jsonlines": "", "ndjson": "", "x-ndjson": "", "json-seq": "\x1e"}
# Of Swagger 2.0, beside the style of a field: those of the lists inside of its list.
_NESTED = "x-nested-styles"
_BYTES = "application/octet-stream"
_BEGINNINGS = (
    (b"\x89PNG\r\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"ID3", "audio/mpeg"),
    (b"OggS", "audio/ogg"),
)
_RIFF = ((b"WEBP", "image/webp"), (b"WAVE", "audio/wav"))
_COMMONEST = {"image": "image/png", "audio": "audio/mpeg", "video": "video/mp4"}


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that stands where base64 text may stand."""

    name: str
    content: bytes


def write(
    value: Any, content_type: str, encoding: Mapping[str, Any], binary: Collection[str] | bool
) -> tuple[bytes, str]:
    """The bytes of a body and its content type, with a boundary where it needs one.

    binary: whether the value is base64 text of the bytes to send; for a form, the names of the fields that are.
    Raises ValueError for what cannot be written.
    """
    media = content_type.partition(";")[0].strip().lower()
    if binary is True:
        content = decoded(value, "the body")
        return content, _within(content_type, content, value) if "*" in media else content_type
    if media.startswith("multipart/") and isinstance(value, dict):
        return _multipart(value, content_type, encoding, binary or ())
    if media == FORM and isinstance(value, dict):
        found = [pair for name, item in value.items() for pair in _field(name, item, encoding.get(name))]
        return "&".join(f"{key}={item}" for key, item in found).encode(), content_type
    if (start := _LINES.get(media.partition("/")[2])) is not None and isinstance(value, list):
        return "".join(f"{start}{styles.compact(item)}\n" for item in value).encode(), content_type
    if isinstance(value, str) and not is_json(media):
        return value.encode(), content_type
    return styles.compact(value).encode(), content_type


def _within(media: str, content: bytes, value: Any) -> str:
    """The type of a file in a range such as `image/*`: by how it begins, by its name, else the commonest one."""
    import mimetypes

    kind = media.partition("/")[0].strip().lower()
    named = mimetypes.guess_type(value.name)[0] if isinstance(value, Upload) else None
    begun = [found for start, found in _BEGINNINGS if content.startswith(start)]
    if content[:4] == b"RIFF":
        begun = [found for mark, found in _RIFF if content[8:12] == mark]
    fitting = [found for found in (*begun, named) if found is not None and found.startswith(f"{kind}/")]
    return fitting[0] if fitting else _COMMONEST.get(kind, _BYTES)


def is_json(content_type: str) -> bool:
    """Whether a body of this type is JSON; YAML and the like are not, though JSON may stand in them."""
    media = content_type.partition(";")[0].strip().lower()
    return media.endswith(("/json", "+json"))


def decoded(value: Any, what: str) -> bytes:
    """The bytes that base64 text stands for; both alphabets and line breaks are taken."""
    if isinstance(value, Upload):
        return value.content
    try:
        plain = "".join(str(value).split()).replace("-", "+").replace("_", "/")
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, UnicodeEncodeError, ValueError):
        raise ValueError(f"{what} has to be base64 text of the bytes to send") from None


def _field(name: str, value: Any, encoding: Any) -> list[styles.Pair]:
    """One field of a urlencoded form."""
    how: Mapping[str, Any] = encoding if isinstance(encoding, dict) else {}
    if _styled(how):
        style = str(how.get("style", "form"))
        explode = bool(how.get("explode", styles.explodes(style)))
        # In a form `+` is a space and `&` ends a field, whatever is allowed.
        encode = styles.reserved(":/?@!$'()*,;[]") if how.get("allowReserved") is True else styles.percent
        value, encode = styles.nested(value, how.get(_NESTED, ()), encode)
        return styles.pairs(name, value, style, explode, encode)
    if value is None:
        return []
    items = value if isinstance(value, list) else [value]
    content_type = str(how.get("contentType", ""))
    written = (styles.compact(item) if is_json(content_type) else styles.text(item) for item in items)
    return [(styles.field_name(name), styles.percent(item)) for item in written]


def _styled(how: Mapping[str, Any]) -> bool:
    return any(key in how for key in ("style", "explode", "allowReserved"))


def _multipart(
    fields: Mapping[str, Any], content_type: str, encoding: Mapping[str, Any], binary: Any
) -> tuple[bytes, str]:
    """Each field as a part; the boundary is made from the content, so the same call gives the same bytes."""
    parts = [
        part
        for name, value in fields.items()
        if value is not None
        for part in _parts(name, value, encoding.get(name), name in binary)
    ]
    boundary = "toolc-" + blake2b(b"\0".join(parts), digest_size=16).hexdigest()
    line = b"--" + boundary.encode()
    body = b"".join(line + b"\r\n" + part + b"\r\n" for part in parts) + line + b"--\r\n"
    return body, f"{content_type}; boundary={boundary}"


def _parts(name: str, value: Any, encoding: Any, binary: bool) -> Iterator[bytes]:
    """The parts of one field, one for each item of a list."""
    how: Mapping[str, Any] = encoding if isinstance(encoding, dict) else {}
    if _styled(how) and "contentType" not in how and not binary:
        style = str(how.get("style", "form"))
        value, _ = styles.nested(value, how.get(_NESTED, ()), str)
        for key, item in styles.pairs(name, value, style, bool(how.get("explode", styles.explodes(style))), str):
            yield _part(key, item.encode(), "")
        return
    # The first of several types; a wildcard names none.
    declared = str(how.get("contentType", "")).partition(",")[0].strip()
    declared = "" if "*" in declared else declared
    if any(ord(char) < 32 for char in declared):
        raise ValueError(f"the content type of the field `{name}` holds a control character")
    for item in value if isinstance(value, list) else [value]:
        if binary:
            filename = item.name if isinstance(item, Upload) else name
            yield _part(name, decoded(item, f"`{name}`"), declared or _BYTES, filename)
        elif is_json(declared) or isinstance(item, dict | list):
            yield _part(name, styles.compact(item).encode(), declared or "application/json")
        else:
            yield _part(name, styles.text(item).encode(), declared)


def _part(name: str, content: bytes, content_type: str, filename: str = "") -> bytes:
    """A file gets a name: many servers tell a file from a field by it."""
    head = f'Content-Disposition: form-data; name="{_quoted(name)}"'
    head += f'; filename="{_quoted(filename)}"' if filename else ""
    head += f"\r\nContent-Type: {content_type}" if content_type else ""
    return head.encode() + b"\r\n\r\n" + content


def _quoted(name: str) -> str:
    """As the HTML standard writes names of fields."""
    return name.replace("\n", "%0A").replace("\r", "%0D").replace('"', "%22")
