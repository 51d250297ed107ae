"""The recipe of every engine gives the counts of one process, and no engine writes of its own accord."""

import re
import sys
from importlib.util import find_spec

import pytest
from processes import python
from products import NIGHT
from sharded import CONNECT, ENVIRONMENT, PAGE
from test_engines import installed
from test_partitions import SPANS, written

from spacy_nereval import score
from spacy_nereval.distributed import count_partition, merge

RECIPES = {
    name: code
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf8"), re.S)
    for name in re.findall(r"^print\(score\(count_(spark|dask|ray)\(rows", code, re.M)
}
"""The five lines of docs/how-to/large-corpora.md for each engine that tables of its own can be counted with."""

COMMAND = """
import sys
from spacy_nereval.cli import nereval
files = [f"{{side}}/{{letter}}.jsonl" for side in ("gold", "pred") for letter in "abc"]
command = ["count", *files, "--collapse", "-m", "strict", "--engine", "{engine}", "--workers", "2", "-o", "all.npz"]
nereval(command, standalone_mode=False)
for stream in (sys.stdout, sys.stderr):
    print("the recipe", file=stream, flush=True)
"""
"""A command that starts the engine, which takes longer than all else here, and so is done once."""

MORE = """
from pathlib import Path
from spacy_nereval.io.count_files import archive_bytes
Path("counts.npz").write_bytes(archive_bytes(count_{engine}(rows, "strict,fair")))
"""

ALSO = {
    "dask": """
import json
import dask.bag, pandas
from dask.distributed import Client
with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0"):
    bag = dask.bag.read_text("corpus.jsonl", blocksize=500).map(json.loads)
    assert bag.npartitions > 2 and archive_bytes(count_dask(bag, "strict,fair")) == Path("counts.npz").read_bytes()
try:
    count_dask(dask.dataframe.from_pandas(pandas.read_json("corpus.jsonl", lines=True), npartitions=2), "strict")
except ValueError as error:
    assert "Dask makes text of the lists" in str(error), error
else:
    raise AssertionError("text was counted")
""",
}
"""What else is tried on an engine. Dask has bags, and makes text of lists."""


@pytest.mark.slow
@pytest.mark.parametrize("where", ["loky", "dask", pytest.param("ray", marks=NIGHT), "spark", "connect"])
def test_an_engine_gives_the_counts_of_one_process_and_writes_nothing_into_the_log(where, here):
    """No progress bars, and no warnings: what a scheduler keeps are lines of the command."""
    engine = "spark" if where == "connect" else where
    installed(engine)
    if where == "connect" and not find_spec("grpc"):
        # No part of the extra `spark`, since few have a server for it. In CI, where it is installed, the skip fails.
        pytest.skip("Spark Connect is not installed: grpc")
    (here / "corpus").mkdir()
    for k in range(3):
        written(here / "corpus" / f"{k}.parquet", SPANS[k::3])
    written(here / "corpus.jsonl", SPANS)
    recipe = RECIPES[engine] + MORE.format(engine=engine) if engine in RECIPES else ""
    code = COMMAND.format(engine=engine) + recipe + ALSO.get(engine, "")  # no file: workers of Dask would run it too
    environment = {"PYSPARK_PYTHON": sys.executable, "RAY_AUTH_MODE": "disabled", **ENVIRONMENT}
    done = python("-c", code, env=environment | (CONNECT if where == "connect" else {}), seconds=300)
    assert done.returncode == 0, done.stderr
    (said, _), (printed, result) = (each.split("the recipe\n") for each in (done.stderr, done.stdout))
    assert said == "✔ 3 files counted in nereval-parts\n"
    assert [line[0] for line in printed.splitlines()] == ["✔", "ℹ"]
    if recipe:
        expected = count_partition(SPANS, "strict,fair")
        assert (here / "counts.npz").read_bytes() == expected
        assert str(score(merge([expected]), confidence=True)) in result


def test_every_engine_has_a_recipe_of_five_lines():
    lines = {name: len([*filter(None, code.splitlines())]) for name, code in RECIPES.items()}
    assert lines == {"spark": 5, "dask": 5, "ray": 5}
