"""The exact HTTP request of a call, for arguments that dispatch has accepted. Credentials are added elsewhere."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote

from toolc.ir import CLIENT_HEADERS, Arguments, HttpCall, unescape
from toolc.nearest import nearest
from toolc.runtime import payload, styles

_VARIABLE = re.compile(r"\{([^{}/?#]+)\}")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
# Reserved characters that `allowReserved` lets through: not those that end the path, a field, or mean a space.
_IN_PATH = "/:@!$&'()*+,;=[]"
_IN_QUERY = "/:@!$'()*,;=?[]"
_LITERAL = "/%:@!$&'()*+,;=-._~"


class RequestError(ValueError):
    """Arguments that no safe request can be made of; the text says which, for a model to repair."""


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request as it goes out.

    url: absolute if the call's server is. headers: without Content-Type and Cookie; values are sent as UTF-8.
    cookies: names and values as they stand in the Cookie header. body: None for no body at all. content_type: with
    its boundary; `` without a body.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...] = ()
    cookies: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    content_type: str = ""


def build(call: HttpCall, arguments: Arguments) -> Request:
    """The request of a call; raises RequestError where it would not be the one that the description means."""
    try:
        body, content_type = _body(call, arguments)
        return Request(
            method=call.method,
            url=call.server + _path(call, arguments) + _query(call, arguments),
            headers=_headers(call, arguments),
            cookies=_cookies(call, arguments),
            body=body,
            content_type=content_type,
        )
    except UnicodeEncodeError:
        raise RequestError("The arguments hold half a character (a lone surrogate), which cannot be sent.") from None
    except RequestError:
        raise
    except ValueError as error:
        raise RequestError(f"This cannot be sent: {error}.") from None


def _given(call: HttpCall, arguments: Arguments, place: str) -> list[tuple[str, Any, Mapping[str, Any]]]:
    """(argument, value, binding) of what goes to a place, in the order of the call's inputs."""
    return [
        (key, arguments[key], binding)
        for key, binding in call.inputs.items()
        if binding["in"] == place and key in arguments
    ]


def _style(binding: Mapping[str, Any], default: str) -> tuple[str, bool]:
    style = str(binding.get("style", default))
    return style, bool(binding.get("explode", styles.explodes(style)))


def _as_content(value: Any, content_type: str) -> str:
    """A value that is sent as a media type of its own; text only where the type is no JSON."""
    return value if isinstance(value, str) and not payload.is_json(content_type) else styles.compact(value)


def _path(call: HttpCall, arguments: Arguments) -> str:
    """The path with its variables filled in, each segment checked."""
    values: dict[str, tuple[str, str]] = {}
    for key, value, binding in _given(call, arguments, "path"):
        encode = styles.reserved(_IN_PATH) if binding.get("allowReserved") else styles.percent
        if content := binding.get("content"):
            written = encode(_as_content(value, content))
        else:
            value, encode = styles.nested(value, binding.get("nested", ()), encode, kept=",")
            written = styles.in_path(binding["name"], value, *_style(binding, "simple"), encode)
        if not written:
            raise RequestError(f"`{key}` stands in the path and cannot be empty.")
        values[binding["name"]] = key, written
    # A fragment is never sent; some descriptions use one to tell operations of one path apart.
    return "/".join(_segment(segment, values) for segment in call.path.partition("#")[0].split("/"))


def _segment(template: str, values: Mapping[str, tuple[str, str]]) -> str:
    """One segment of the path template; refused if its values would lead to another path."""
    keys: list[str] = []
    written: list[str] = []
    for index, part in enumerate(_VARIABLE.split(template)):
        if index % 2 == 0:
            written.append(quote(part, safe=_LITERAL + "?"))
        elif part not in values:
            raise RequestError(f"The path needs a value for `{part}`.")
        else:
            keys.append(values[part][0])
            written.append(values[part][1])
    segment = "".join(written)
    # Servers and proxies differ in when they decode, so an encoded slash parts segments too.
    if keys and any(piece in (".", "..") for piece in re.split(r"[/\\]", unquote(segment))):
        raise RequestError(f"`{keys[0]}` stands in the path and cannot have `.` or `..` as a part of it.")
    return segment


def _check_written(key: str, binding: Mapping[str, Any], written: object) -> None:
    """OpenAPI writes an empty list, an empty object and null as nothing, which a required parameter cannot be."""
    if binding.get("required") and not written and written != "":
        raise RequestError(f"`{key}` is required by the operation and has to hold a value: an empty one is not sent.")


def _query(call: HttpCall, arguments: Arguments) -> str:
    fields: list[str] = []
    for key, value, binding in _given(call, arguments, "query"):
        encode = styles.reserved(_IN_QUERY) if binding.get("allowReserved") else styles.percent
        found: list[styles.Pair] = []
        if content := binding.get("content"):
            found = [(styles.field_name(binding["name"]), encode(_as_content(value, content)))]
        elif value is not None:
            value, encode = styles.nested(value, binding.get("nested", ()), encode)
            found = styles.pairs(binding["name"], value, *_style(binding, "form"), encode)
            if not found and binding.get("allowEmptyValue"):
                found = [(styles.field_name(binding["name"]), "")]
        _check_written(key, binding, found)
        fields += [f"{name}={item}" for name, item in found]
    for _, value, binding in _given(call, arguments, "querystring"):
        content = str(binding.get("content", payload.FORM))
        body, _ = payload.write(value, content, {}, False)
        whole = body.decode()
        fields.append(whole if content.startswith(payload.FORM) and isinstance(value, dict) else styles.percent(whole))
    joined = "&".join(field for field in fields if field)
    return ("&" if "?" in call.path else "?") + joined if joined else ""


def _headers(call: HttpCall, arguments: Arguments) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for key, value, binding in _given(call, arguments, "header"):
        name = binding["name"]
        if name.lower() in CLIENT_HEADERS or not _TOKEN.fullmatch(name):
            raise RequestError(f"`{key}` cannot be sent: its header has a name that HTTP does not allow.")
        if content := binding.get("content"):
            written: str | None = _as_content(value, content)
        else:
            value, _ = styles.nested(value, binding.get("nested", ()), str)
            written = styles.in_header(value, *_style(binding, "simple"))
        _check_written(key, binding, written)
        if written is None:
            continue
        if _CONTROL.search(written) or written != written.strip():
            raise RequestError(
                f"`{key}` is sent as a header: it cannot have line breaks or control characters, or spaces at its ends."
            )
        written.encode()  # a lone surrogate is refused here, not by the client
        found.append((name, written))
    return tuple(found)


def _cookies(call: HttpCall, arguments: Arguments) -> tuple[tuple[str, str], ...]:
    found: list[tuple[str, str]] = []
    for key, value, binding in _given(call, arguments, "cookie"):
        style, explode = _style(binding, "form")
        if content := binding.get("content"):
            pairs = [(quote(binding["name"], safe=""), styles.percent(_as_content(value, content)))]
        else:
            pairs = styles.pairs(binding["name"], value, style, explode, str if style == "cookie" else styles.percent)
        _check_written(key, binding, pairs)
        for name, item in pairs:  # style `cookie` (3.2) sends text as it is
            if not _TOKEN.fullmatch(name.replace("[", "").replace("]", "")) or re.search(r"[\x00-\x20;\x7f]", item):
                raise RequestError(f"`{key}` is sent as a cookie: it cannot have `;`, spaces or control characters.")
        found += pairs
    return tuple(found)


def _body(call: HttpCall, arguments: Arguments) -> tuple[bytes | None, str]:
    fields = {key: binding for key, binding in call.inputs.items() if binding["in"] == "body"}
    free = [key for key in arguments if key not in call.inputs]
    whole = next((key for key, binding in fields.items() if not binding["pointer"]), None)
    if free and (whole is not None or not call.content_type):
        names = ", ".join(f"`{key}`" for key in free)
        near = [found for key in free if (found := nearest(key, call.inputs.keys() - arguments.keys()))]
        hint = f" Did you mean {', '.join(f'`{key}`' for key in dict.fromkeys(near))}?" if near else ""
        raise RequestError(f"{names} cannot be sent: the operation takes no such argument.{hint}")
    if whole is not None:
        if whole not in arguments:
            return None, ""
        binary = fields[whole].get("contentEncoding") == "base64"
        return payload.write(arguments[whole], call.content_type, call.encoding, binary)
    value: dict[str, Any] = {}
    for key, binding in fields.items():
        if key in arguments:
            value[_field_name(binding)] = arguments[key]
    for key in free:
        if key in value:
            raise RequestError(f"`{key}` is given twice: as a field of the body and under another name.")
        value[key] = arguments[key]
    if not call.content_type or not (value or call.body_required):
        return None, ""
    coded = {_field_name(binding) for binding in fields.values() if binding.get("contentEncoding") == "base64"}
    return payload.write(value, call.content_type, call.encoding, coded)


def _field_name(binding: Mapping[str, Any]) -> str:
    """A field's name in the body; its pointer is one token, since only the fields of the root are arguments."""
    return unescape(str(binding["pointer"])[1:])
