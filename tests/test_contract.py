"""The hand-written bundles of the contract, through the real dispatch."""

import json
from pathlib import Path

import pytest

from toolc import bundle
from toolc.dispatch import Dispatcher, Refusal, Resolution

FOLDER = Path(__file__).parents[2] / "shared" / "contract"
FILES = sorted(FOLDER.glob("*.json"))

pytestmark = pytest.mark.skipif(not FILES, reason="the handed contract is not beside this checkout")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_calls_are_accepted_and_refused_as_the_contract_says(path: Path) -> None:
    contract = json.loads(path.read_text(encoding="utf-8"))
    catalog = bundle.decode(contract["bundle"])
    dispatcher = Dispatcher(catalog.tools, catalog.operations, catalog.aliases)
    for call in contract["accept"]:
        result = dispatcher.resolve(call["tool"], call["arguments"])
        assert result == Resolution(call["operation"], call["original"])
    for call in contract["refuse"]:
        result = dispatcher.resolve(call["tool"], call["arguments"])
        assert isinstance(result, Refusal)
        missing = [name for name in call["names"] if name not in result.message]
        assert not missing, result.message
