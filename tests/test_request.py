"""The HTTP request of a call: what OpenAPI says of each style, and of what cannot be sent.

What an independent reader makes of whole requests is in test_request_reading.py.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from toolc.diagnostics import Report
from toolc.ir import HttpCall
from toolc.runtime.request import Request, RequestError, build
from toolc.sources import Context, openapi

HOST = "https://api.example.com"
COLORS: dict[str, Any] = {"empty": "", "string": "blue", "array": ["blue", "black", "brown"]}
COLORS["object"] = {"R": 100, "G": 200, "B": 150}


def sent(where: str, value: Any, name: str = "color", **binding: Any) -> Request:
    path = f"/{{{name}}}" if where == "path" else "/x"
    return build(HttpCall("GET", path, HOST, {"a": {"in": where, "name": name, **binding}}), {"a": value})


# The table "Style Examples" of OpenAPI 3.0.4 to 3.2.


@pytest.mark.parametrize(
    ("where", "style", "explode", "kind", "expected"),
    [
        ("path", "matrix", False, "empty", ";color"),
        ("path", "matrix", False, "string", ";color=blue"),
        ("path", "matrix", False, "array", ";color=blue,black,brown"),
        ("path", "matrix", False, "object", ";color=R,100,G,200,B,150"),
        ("path", "matrix", True, "array", ";color=blue;color=black;color=brown"),
        ("path", "matrix", True, "object", ";R=100;G=200;B=150"),
        ("path", "label", False, "string", ".blue"),
        ("path", "label", False, "array", ".blue,black,brown"),
        ("path", "label", False, "object", ".R,100,G,200,B,150"),
        ("path", "label", True, "array", ".blue.black.brown"),
        ("path", "label", True, "object", ".R=100.G=200.B=150"),
        ("path", "simple", False, "array", "blue,black,brown"),
        ("path", "simple", False, "object", "R,100,G,200,B,150"),
        ("path", "simple", True, "object", "R=100,G=200,B=150"),
        ("query", "form", False, "empty", "color="),
        ("query", "form", False, "array", "color=blue,black,brown"),
        ("query", "form", False, "object", "color=R,100,G,200,B,150"),
        ("query", "form", True, "array", "color=blue&color=black&color=brown"),
        ("query", "form", True, "object", "R=100&G=200&B=150"),
        ("query", "spaceDelimited", False, "array", "color=blue%20black%20brown"),
        ("query", "spaceDelimited", False, "object", "color=R%20100%20G%20200%20B%20150"),
        ("query", "pipeDelimited", False, "array", "color=blue|black|brown"),
        ("query", "pipeDelimited", False, "object", "color=R|100|G|200|B|150"),
        ("query", "deepObject", True, "object", "color[R]=100&color[G]=200&color[B]=150"),
    ],
)
def test_each_style_of_the_specification(where: str, style: str, explode: bool, kind: str, expected: str) -> None:
    url = sent(where, COLORS[kind], style=style, explode=explode).url
    assert url == f"{HOST}/{expected}" if where == "path" else f"{HOST}/x?{expected}"


def test_headers_and_cookies_by_style() -> None:
    assert sent("header", COLORS["array"]).headers == (("color", "blue,black,brown"),)
    assert sent("header", COLORS["object"], explode=True).headers == (("color", "R=100,G=200,B=150"),)
    assert sent("cookie", COLORS["array"], explode=False).cookies == (("color", "blue,black,brown"),)
    assert sent("cookie", "a b;c").cookies == (("color", "a%20b%3Bc"),)
    assert sent("cookie", "a%b", style="cookie").cookies == (("color", "a%b"),)


def test_what_is_left_out_and_what_is_encoded() -> None:
    assert sent("query", None).url == f"{HOST}/x"
    assert sent("query", []).url == f"{HOST}/x"
    assert sent("query", [], allowEmptyValue=True).url == f"{HOST}/x?color="
    assert sent("query", "a&b=c d/é+").url == f"{HOST}/x?color=a%26b%3Dc%20d%2F%C3%A9%2B"
    assert sent("query", "a/b?c=d&e%20#", allowReserved=True).url == f"{HOST}/x?color=a/b?c=d%26e%20%23"
    assert (
        sent("query", [True, 2.0, 2.5, {"a": 1}], explode=False).url == f"{HOST}/x?color=true,2,2.5,%7B%22a%22%3A1%7D"
    )
    assert sent("query", {"a": [1]}, content="application/json").url == f"{HOST}/x?color=%7B%22a%22%3A%5B1%5D%7D"
    assert sent("query", {"a": {"b": [1, 2]}}, style="deepObject").url == f"{HOST}/x?color[a][b][0]=1&color[a][b][1]=2"
    assert sent("query", ["a", "b"], style="tabDelimited", explode=False).url == f"{HOST}/x?color=a%09b"
    assert sent("path", "a/b c", allowReserved=True).url == f"{HOST}/a/b%20c"
    assert sent("path", "a?b#c", allowReserved=True).url == f"{HOST}/a%3Fb%23c"
    assert sent("path", ["a", "b"], style="pipeDelimited").url == f"{HOST}/a%7Cb"
    form = "application/x-www-form-urlencoded"
    assert sent("querystring", {"a": "1 2", "b": [1, 2]}, content=form).url == f"{HOST}/x?a=1%202&b=1&b=2"
    assert sent("querystring", {"a": 1}, content="application/json").url == f"{HOST}/x?%7B%22a%22%3A1%7D"


@pytest.mark.parametrize("value", ["", [], "..", ".", "../admin", "a/../b", "..\\b", None])
def test_a_path_value_cannot_lead_elsewhere(value: Any) -> None:
    for reserved in (True, False):
        with pytest.raises(RequestError, match="`a` stands in the path"):
            sent("path", value, allowReserved=reserved)


def test_an_encoded_way_up_is_refused_too() -> None:
    for value in ("%2e%2e", "%2E./x", "x%2f..", "..%5Cx"):
        with pytest.raises(RequestError):
            sent("path", value, allowReserved=True)
    with pytest.raises(RequestError):
        sent("path", ".", style="label")
    assert sent("path", "%2e%2e").url == f"{HOST}/%252e%252e"
    assert sent("path", "a..b").url == f"{HOST}/a..b"


@pytest.mark.parametrize("value", ["a\r\nX: 1", "a\nb", "a\0", " a", "a\r"])
def test_a_header_cannot_bring_another(value: str) -> None:
    with pytest.raises(RequestError, match="`a` is sent as a header"):
        sent("header", value)


def test_other_requests_that_are_refused() -> None:
    with pytest.raises(RequestError, match="name that HTTP does not allow"):
        sent("header", "x", name="A\r\nB")
    with pytest.raises(RequestError, match="cookie"):
        sent("cookie", "a; b=c", style="cookie")
    for where in ("path", "query", "header"):
        with pytest.raises(RequestError, match="half a character"):
            sent(where, "\ud800")
    with pytest.raises(RequestError, match="needs a value for `id`"):
        build(HttpCall("GET", "/{id}"), {})
    with pytest.raises(RequestError, match="`x`"):
        build(HttpCall("GET", "/a"), {"x": 1})


# Bodies.


def body(content_type: str, arguments: dict[str, Any], encoding: Any = None, **inputs: Any) -> Request:
    bound = {key: {"in": "body", "pointer": f"/{key}"} | value for key, value in inputs.items()}
    return build(HttpCall("POST", "/x", HOST, bound, content_type, encoding=encoding or {}), arguments)


def test_json_bodies() -> None:
    made = body("application/json", {"a": 1, "key": None, "free": "é"}, a={}, key={"pointer": "/x~1y~0"})
    assert made.body is not None
    assert json.loads(made.body) == {"a": 1, "x/y~": None, "free": "é"}
    whole = body("application/vnd.api+json", {"a": "text"}, a={"pointer": ""})
    assert (whole.body, whole.content_type) == (b'"text"', "application/vnd.api+json")
    with pytest.raises(RequestError, match="`b`"):
        body("application/json", {"a": 1, "b": 1}, a={"pointer": ""})
    with pytest.raises(RequestError):
        body("application/json", {"a": float("nan")}, a={})


def test_an_empty_body_is_sent_only_where_one_is_required() -> None:
    optional = HttpCall("POST", "/x", HOST, {"a": {"in": "body", "pointer": "/a"}}, "application/json")
    assert build(optional, {}).body is None
    assert build(optional, {}).content_type == ""
    required = HttpCall("POST", "/x", HOST, optional.inputs, "application/json", body_required=True)
    assert build(required, {}).body == b"{}"


def test_forms() -> None:
    form = "application/x-www-form-urlencoded"
    encoding = {"b": {"style": "spaceDelimited", "explode": False}, "d": {"style": "deepObject", "explode": True}}
    arguments = {"a": [1, 2], "b": ["x", "y"], "c": {"k": "&"}, "d": {"k": [{"z": "="}]}}
    made = body(form, arguments, encoding, a={}, b={}, c={}, d={})
    assert made.body == b"a=1&a=2&b=x%20y&c=%7B%22k%22%3A%22%26%22%7D&d[k][0][z]=%3D"


def test_multipart_and_bytes() -> None:
    file = {"contentEncoding": "base64"}
    encoding = {"file": {"contentType": "image/png, image/gif"}, "meta": {"contentType": "application/json"}}
    arguments = {"file": "AP8=", "meta": "m", "tags": ["a", "b"], "free": {"k": 1}}
    made = body("multipart/form-data", arguments, encoding, file=file, meta={}, tags={})
    assert made == body("multipart/form-data", arguments, encoding, file=file, meta={}, tags={})
    boundary = made.content_type.removeprefix("multipart/form-data; boundary=")
    assert made.body is not None
    parts = made.body.split(b"--" + boundary.encode())
    assert (parts[0], parts[-1]) == (b"", b"--\r\n")
    assert parts[1:-1] == [
        b'\r\nContent-Disposition: form-data; name="file"; filename="file"\r\nContent-Type: image/png\r\n\r\n'
        b"\0\xff\r\n",
        b'\r\nContent-Disposition: form-data; name="meta"\r\nContent-Type: application/json\r\n\r\n"m"\r\n',
        b'\r\nContent-Disposition: form-data; name="tags"\r\n\r\na\r\n',
        b'\r\nContent-Disposition: form-data; name="tags"\r\n\r\nb\r\n',
        b'\r\nContent-Disposition: form-data; name="free"\r\nContent-Type: application/json\r\n\r\n{"k":1}\r\n',
    ]
    assert body("image/png", {"a": "AP8"}, a={"pointer": "", **file}).body == b"\0\xff"
    with pytest.raises(RequestError, match="base64"):
        body("image/png", {"a": "?"}, a={"pointer": "", **file})
    assert body("text/plain", {"a": "é"}, a={"pointer": ""}).body == "é".encode()
    assert body("application/x-ndjson", {"a": [{"b": 1}, 2]}, a={"pointer": ""}).body == b'{"b":1}\n2\n'


def test_the_wire_forms_of_case_09(shared: Path) -> None:
    folder = shared / "cases" / "openapi"
    options = openapi.Options("09-style-explode.yaml", server=HOST)
    (operation,) = openapi.read(options, Context("api", folder, folder, Report())).operations
    arguments = {"ids": [1, 2], "f": {"eq": "a"}, "p": ["a", "b"], "s": ["a", "b"], "m": [1, 2]}
    assert isinstance(operation.call, HttpCall)
    assert build(operation.call, arguments).url == f"{HOST}/x/;m=1;m=2?ids=1,2&f[eq]=a&p=a|b&s=a%20b"


def test_an_argument_that_cannot_be_sent_is_told_with_the_one_that_was_meant() -> None:
    inputs = {"speciality": {"in": "query", "name": "speciality"}, "limit": {"in": "query", "name": "limit"}}
    with pytest.raises(RequestError) as refused:
        build(HttpCall("GET", "/x", HOST, inputs), {"specialty": "heart", "limit": 3})
    assert str(refused.value).endswith("Did you mean `speciality`?")
    with pytest.raises(RequestError) as refused:
        build(HttpCall("GET", "/x", HOST, inputs), {"zzz": 1})
    assert str(refused.value).endswith("the operation takes no such argument.")
