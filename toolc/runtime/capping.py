"""How much of an answer is handed on, whoever gave it: so many bytes, and in words where it goes on."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolc.runtime.result import Result, is_deep, written

# The argument with which a call that reads goes on in its answer; no tool declares it.
OFFSET = "_offset"
# Bytes that carriers keep beyond what is handed on: the secrets in an answer are masked before it is cut.
_MARGIN = 65_536
_MOST_BLOCKS = 1000
# Bytes of an answer that may be gone on in.
FARTHEST = 64 * 1024**2
_MOST_FOOT = 4000


@dataclass(frozen=True, slots=True)
class Portion:
    """A part of an answer, in bytes. resumable: whether the rest can be asked for."""

    offset: int
    most: int
    resumable: bool = False

    @property
    def kept(self) -> int:
        """Bytes of an answer that are needed for it."""
        return self.offset + self.most + _MARGIN


def capped(result: Result, portion: Portion) -> Result:
    """The portion of a result; what is left out is said in a text at its end."""
    if result.portioned:
        return replace(result, portioned=False)
    foot = [{"type": "text", "text": result.foot[:_MOST_FOOT]}] if result.foot else []
    structured, meta = result.structured, result.meta
    blocks = list(result.content) or ([{"type": "text", "text": written(structured)}] if structured is not None else [])
    size = sum(map(_size, blocks))
    aside = sum(len(written(part).encode()) for part in (structured, meta) if part is not None)
    whole = not result.unread and size <= portion.most and len(blocks) <= _MOST_BLOCKS
    if whole and not portion.offset and size + aside <= portion.most:
        return replace(result, content=(*result.content, *foot), foot="")
    kept, end = _part(blocks, portion)
    words = []
    if end < size or result.unread:
        total = result.size or (0 if result.unread else size)
        of_all = f" of {total:,}" if total > end else ""
        how = f', or call again with "{OFFSET}": {end}' if portion.resumable else ""
        words.append(f"[cut after {end:,}{of_all} bytes: ask for less, by filters, fields or pages{how}]")
    if len(kept) == _MOST_BLOCKS < len(blocks) and end >= size:
        words.append(f"[only {len(kept):,} of {len(blocks):,} parts]")
    if aside and not portion.offset:
        words.append(f"[without structured content and metadata of {aside:,} bytes]")
    notes = [{"type": "text", "text": text} for text in words]
    return Result((*kept, *foot, *notes), result.is_error)


def _part(blocks: list[Mapping[str, Any]], portion: Portion) -> tuple[list[Mapping[str, Any]], int]:
    """The blocks of a portion, and where it ends."""
    kept: list[Mapping[str, Any]] = []
    begin, end, position = portion.offset, portion.offset + portion.most, 0
    for block in blocks:
        size = _size(block)
        if len(kept) == _MOST_BLOCKS:
            return kept, max(position, begin)
        if position + size > begin or position == begin:
            if _is_text(block):
                data = block["text"].encode()
                start, stop = max(begin - position, 0), _character(data, end - position)
                kept.append({"type": "text", "text": data[start:stop].decode("utf-8", "ignore")})
                if stop < len(data):
                    return kept, position + stop
            elif position < begin:
                pass  # it stood in the portion before
            elif size > portion.most:
                kept.append(
                    {"type": "text", "text": f"({_called(block)} of {size:,} bytes, more than can be returned)"}
                )
            elif position + size > end:
                return kept, position
            else:
                kept.append(block)
        position += size
        if position >= end:
            return kept, position
    return kept, position


def _size(block: Mapping[str, Any]) -> int:
    """Bytes of a block: of the text or the binary data alone, if there is no more to it."""
    if _is_text(block):
        return len(block["text"].encode())
    binary = block.get("data") or (block.get("resource") or {}).get("blob")
    return len(binary) * 3 // 4 if isinstance(binary, str) else len(written(block).encode())


def _is_text(block: Mapping[str, Any]) -> bool:
    return block.get("type") == "text" and isinstance(block.get("text"), str)


def _character(data: bytes, at: int) -> int:
    """The end of the last character that is whole before a place."""
    at = min(at, len(data))
    while 0 < at < len(data) and data[at] & 0xC0 == 0x80:
        at -= 1
    return at


def _called(block: Mapping[str, Any]) -> str:
    media = block.get("mimeType") or (block.get("resource") or {}).get("mimeType")
    return str(media or block.get("type"))[:80]


def sound(result: Result) -> Result:
    """The result without what a reader of JSON cannot take: half a character, NaN, a nesting without end."""
    aside = (result.structured, result.meta)
    if is_deep([*result.content, *aside]):
        flat = [{key: value for key, value in block.items() if not is_deep([value])} for block in result.content]
        note = {"type": "text", "text": "[without parts that are nested too deeply to be handed on]"}
        content = (*(block for block in flat if _is_complete(block)), note)
        structured, meta = (None if is_deep([part]) else part for part in aside)
        return sound(replace(result, content=content, structured=structured, meta=meta))
    try:
        json.dumps([result.content, *aside], ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        content, structured, meta = map(_repaired, (result.content, *aside))
        return replace(result, content=tuple(content), structured=structured, meta=meta)
    return result


def _is_complete(block: Mapping[str, Any]) -> bool:
    return "type" in block and bool({"text", "data", "uri", "resource"} & set(block))


def _repaired(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {_repaired(str(key)): _repaired(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_repaired(item) for item in value]
    return value
