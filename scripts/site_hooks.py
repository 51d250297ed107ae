"""What MkDocs does besides mkdocs.yml, so that the pages stay readable on GitHub as they are.

The navigation and the old addresses of pages are those of doc_pages.py. Pages outside docs/ that others link to become
part of the site, below project/, and stay out of its search. Links to files that are no pages, such as folders and
scripts, become plain text. The marks `<!-- api: NAMES -->` become the documentation of what they name, and
`<!-- live: FILE -->` a link to the page that the command below it writes.
"""

import os
import re
import shlex
import sys
from contextlib import chdir
from html import escape
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.utils import get_relative_url
from pathspec.gitignore import GitIgnoreSpec

sys.path.insert(0, str(Path(__file__).parent))
from block_runs import invoked  # noqa: E402  # MkDocs finds the scripts beside this one by the line above
from doc_pages import MOVED, ROOT, navigation  # noqa: E402  # found by the line above, too

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!\w+:|#)([^)#\s]+)(#[^)\s]*)?\)")
FENCE = re.compile(r"(^ *(`{3,})(?!`).*?^ *\2$)", flags=re.M | re.S)
FOLDERS = ("assets/agreement", "assets/trials", "assets/warranty", "benchmarks", "examples")


REDIRECT = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>This page has moved</title>
<link rel="canonical" href="{target}"><meta http-equiv="refresh" content="0; url={target}">
<meta name="robots" content="noindex"></head><body><a href="{target}">This page has moved.</a></body></html>
"""
LIVE = re.compile(r"<!-- live: (\S+) -->.*?```bash\n(nereval .*?)```", flags=re.S)
GALLERY = ROOT / "docs" / "reference" / "gallery.md"


def live_pages() -> dict[str, str]:
    """Return the HTML pages that the commands of the gallery write: name to content.

    Raises:
        RuntimeError: A command fails.
    """
    found = {}
    with TemporaryDirectory() as folder, chdir(ROOT):
        for name, command in LIVE.findall(GALLERY.read_text(encoding="utf8")):
            written = Path(folder) / name
            words = shlex.split(command.replace("\\\n", ""))[1:]
            status, printed = invoked("nereval", [str(written) if word == name else word for word in words])
            if status:
                raise RuntimeError(f"{command}: exited with {status}:\n{printed}")
            found[name] = written.read_text(encoding="utf8")
    return found


def outside() -> dict[str, str]:
    """Return the pages outside docs/: path in the repository to place in the site."""
    pages = [*ROOT.glob("*.md"), *(page for name in FOLDERS for page in (ROOT / name).rglob("*.md"))]
    names = [page.relative_to(ROOT).as_posix() for page in sorted(pages)]
    return {name: f"project/{name}" for name in names}


def address() -> str | None:
    """Return the address of the repository, `repository-code` in CITATION.cff; None before it is decided."""
    found = re.search(r"^repository-code: *[\"']?([^\s\"']+)", (ROOT / "CITATION.cff").read_text("utf8"), flags=re.M)
    return found and found[1].rstrip("/")


def on_config(config: Any) -> Any:
    """Make the navigation from the index, and link to the repository once it has an address."""
    if url := address():
        config.repo_url, config.repo_name, config.edit_uri = url, "/".join(url.split("/")[-2:]), "edit/main/docs/"
        config.theme["features"].append("content.action.edit")
    pages = [{heading: paths} for heading, paths in navigation().items()]
    config.nav = [{"Overview": "index.md"}, *pages]
    config.not_in_nav = GitIgnoreSpec.from_lines(["/project/"])
    return config


def on_files(files: Files, *, config: Any) -> Files:
    """Add the pages outside docs/, and those that the gallery shows."""
    for name, place in outside().items():
        page = File.generated(config, place, content=(ROOT / name).read_text(encoding="utf8"))
        page.edit_uri = f"../{name}"
        files.append(page)
    for name, content in live_pages().items():
        files.append(File.generated(config, f"gallery/{name}", content=content))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Point links to where pages are in the site, and show the documentation of the API."""
    place = page.file.src_uri
    back = {own: name for name, own in outside().items()}
    source = PurePosixPath(back.get(place, f"docs/{place}"))
    parts = FENCE.split(markdown)  # text, a fence, its backticks, and so on
    texts, fences = parts[::3], [*parts[1::3], ""]
    linked = (LINK.sub(lambda match: moved(match, source, place), text) for text in texts)
    text = "".join(text + fence for text, fence in zip(linked, fences))
    if place == "index.md":
        page.meta["hide"] = ["toc"]  # the front page needs the room
    if place in back:
        page.meta["search"] = {"exclude": True}
    if place == GALLERY.relative_to(ROOT / "docs").as_posix():
        text = re.sub(r"<!-- live: (\S+) -->", r"[Open the page](../gallery/\1)\n", text)
    return re.sub(r"<!-- api: (.+?) -->", lambda match: "".join(f"\n::: {name}\n" for name in match[1].split()), text)


def on_post_build(config: Any) -> None:
    """Write a page for each old address that leads to the new one."""
    for old, new in MOVED.items():
        path, _, anchor = f"../../{new}".partition("/#")
        target = f"{path}/#{anchor}" if anchor else f"{path}/"
        page = Path(config.site_dir, old, "index.html")
        page.parent.mkdir(parents=True)
        page.write_text(REDIRECT.format(target=escape(target)), encoding="utf8")


def on_post_page(output: str, *, page: Any, config: Any) -> str:
    """Add what a link to a page shows elsewhere: its title, what the package is, and a picture of the report."""
    site = config.site_url.rstrip("/") if config.site_url else None
    picture = f"{site}/report.png" if site else get_relative_url("report.png", page.url)
    card = {"title": page.title, "description": config.site_description, "image": picture, "type": "website"}
    tags = [f'<meta property="og:{name}" content="{escape(str(value))}">' for name, value in card.items()]
    tags.append('<meta name="twitter:card" content="summary_large_image">')
    return output.replace("</head>", "\n".join([*tags, "</head>"]), 1)


def moved(match: re.Match[str], source: PurePosixPath, place: str) -> str:
    """Return a link of the repository as one of the site, or its text if the site lacks what it links to.

    Args:
        match: The link.
        source: The page that has it, in the repository.
        place: That page in the site.
    """
    picture, text, target, anchor = match[1], match[2], match[3], match[4] or ""
    linked = os.path.normpath(source.parent / target).replace(os.sep, "/")
    if linked.startswith("docs/"):
        to = linked.removeprefix("docs/")
    elif linked in outside():
        to = outside()[linked]
    else:
        return text
    return f"{picture}[{text}]({os.path.relpath(to, PurePosixPath(place).parent).replace(os.sep, '/')}{anchor})"
