"""The scripts of pages are JavaScript. What they do is tested in a browser, which only the slow tests start."""

import shutil
import subprocess
from pathlib import Path

import pytest

import spacy_nereval

SCRIPTS = sorted(Path(spacy_nereval.__file__).parent.rglob("*.js"))
COMPILE = """
const [fs, AsyncFunction] = [require("fs"), (async () => {}).constructor];
for (const path of process.argv.slice(1)) {
  try { new AsyncFunction(fs.readFileSync(path, "utf8")); } catch (error) { throw Error(`${path}: ${error}`); }
}
"""


@pytest.mark.skipif(not shutil.which("node"), reason="there is no Node here")  # no dependency: it only compiles
@pytest.mark.parametrize(("added", "problem"), [("", ""), ("f(1;\n", "SyntaxError: missing ) after argument list")])
def test_every_script_is_javascript(tmp_path, added, problem):
    assert len(SCRIPTS) > 50
    paths = [tmp_path / f"{k}-{script.name}" for k, script in enumerate(SCRIPTS)]
    for path, script in zip(paths, SCRIPTS):
        path.write_bytes(script.read_bytes())
    paths[-1].write_text(added + paths[-1].read_text("utf8"), "utf8")
    done = subprocess.run(["node", "-e", COMPILE, *paths], capture_output=True, encoding="utf8")
    assert problem in done.stderr and bool(done.returncode) == bool(problem), done.stderr
