"""Files and parts in a bucket or at a URL."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import cloudpathlib
import pytest
from cloudpathlib.local import LocalS3Client, local_s3_implementation
from commands import run
from sharded import ALL_PARTS, SHARDS, evaluated, parts, refused

from spacy_nereval.distributed import shards


@pytest.fixture
def bucket(monkeypatch) -> Iterator[str]:
    """A bucket that is a folder of cloudpathlib's, which keeps no copies, as `io.paths.location` asks it to."""
    monkeypatch.setenv("CLOUDPATHLIB_FILE_CACHE_MODE", "close_file")
    monkeypatch.setitem(cloudpathlib.cloudpath.implementation_registry, "s3", local_s3_implementation)
    yield "s3://bucket"
    LocalS3Client.reset_default_storage_dir()


def test_files_and_parts_may_be_in_a_bucket(here, bucket):
    expected = evaluated(*SHARDS, "-m", "strict", "--confidence", "--samples", 20)
    names, more = [f"{bucket}/{name}" for name in SHARDS], ("-m", "strict", "--confidence", "--samples", 20)
    for name, file in zip(names, SHARDS):
        cloudpathlib.AnyPath(name).upload_from(file)
    assert evaluated(*names, "--parts", f"{bucket}/parts", *more) == expected
    found = sorted(path.name for path in cloudpathlib.AnyPath(f"{bucket}/parts").iterdir())
    assert found == ALL_PARTS
    assert evaluated(*names, "--parts", f"{bucket}/parts", *more, said="(4 by an earlier run)") == expected


def test_collapsed_parts_in_a_bucket_are_merged_there(here, bucket, monkeypatch):
    expected = evaluated(*SHARDS[:3], "--collapse", "-m", "strict")
    monkeypatch.setattr(shards, "TOGETHER", 2)
    assert evaluated(*SHARDS[:3], "--collapse", "-m", "strict", "--parts", f"{bucket}/parts") == expected
    assert sorted(path.name for path in cloudpathlib.AnyPath(f"{bucket}/parts").iterdir()) == ALL_PARTS[:3]


def test_documents_that_several_files_have_are_found_though_the_hashes_are_in_a_bucket(here, bucket, monkeypatch):
    check = ("--collapse", "--check-repeats", "-m", "strict", "--parts", f"{bucket}/parts")
    expected = evaluated(*SHARDS[:3], *check[:-2])
    monkeypatch.setattr(shards, "TOGETHER", 2)
    assert evaluated(*SHARDS[:3], *check) == expected
    names = sorted(path.name for path in cloudpathlib.AnyPath(f"{bucket}/parts").iterdir())
    assert names[:3] == ALL_PARTS[:3] and len(names) == 6
    (line,) = refused("evaluate", "training/model-best", *SHARDS[:3], "whole.spacy", *check)
    assert line.startswith(
        f"shards/a.spacy and whole.spacy have documents with the same id, {expected['documents']} in all files"
    )


def test_one_file_may_be_in_a_bucket(here, bucket):
    cloudpathlib.AnyPath(f"{bucket}/whole.spacy").upload_from("whole.spacy")
    assert evaluated(f"{bucket}/whole.spacy") == evaluated("whole.spacy")


def accepted(*arguments: str) -> str:
    done = run(*arguments)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_a_compressed_file_in_a_bucket_is_read(here, bucket):
    """By a model, and against a compressed file of predictions."""
    accepted("convert", "whole.spacy", "whole.jsonl.gz")
    cloudpathlib.AnyPath(f"{bucket}/whole.jsonl.gz").upload_from("whole.jsonl.gz")
    wanted = evaluated("whole.jsonl.gz")
    assert evaluated(f"{bucket}/whole.jsonl.gz") == wanted
    accepted("count", f"{bucket}/whole.jsonl.gz", f"{bucket}/whole.jsonl.gz", "-m", "strict", "-o", "whole.npz")
    assert f"{wanted['documents']} documents" in accepted("score", "whole.npz")


def test_a_corpus_in_a_bucket_is_named_by_a_pattern_a_folder_or_a_list(here, bucket):
    expected = evaluated(*SHARDS)
    for name in SHARDS:
        cloudpathlib.AnyPath(f"{bucket}/corpus/{name}").upload_from(name)
    for name in ("_SUCCESS", "shards/.a.spacy.crc"):
        cloudpathlib.AnyPath(f"{bucket}/corpus/{name}").write_text("")
    Path("list.txt").write_text("".join(f"{bucket}/corpus/{name}\n" for name in SHARDS))
    Path("patterns.txt").write_text(f"{bucket}/corpus/**/[ab].spacy\n{bucket}/corpus/shards/[cd].*\n")
    assert evaluated(f"{bucket}/corpus/*/*.spacy") == expected
    assert evaluated(f"{bucket}/corpus", "--format", "spacy") == expected
    assert evaluated("--files-from", "list.txt") == expected
    assert evaluated("--files-from", "patterns.txt") == expected
    assert evaluated("shards", "--format", "spacy") == expected
    assert refused("evaluate", "training/model-best", f"{bucket}/none/*") == [f"no file matches {bucket}/none/*"]


def test_predictions_in_a_bucket_are_paired_by_name(here, bucket):
    for side in ("gold", "pred"):
        for name in "ab":
            cloudpathlib.AnyPath(f"{bucket}/{side}/{name}.jsonl").upload_from(f"{side}/{name}.jsonl")
    accepted("count", f"{bucket}/gold/", f"{bucket}/pred", "-f", "jsonl", "-m", "strict", "-o", "bucket.npz")
    files = (f"{side}/{name}.jsonl" for side in ("gold", "pred") for name in "ab")
    accepted("count", *files, "-m", "strict", "-o", "here.npz")
    assert accepted("score", "bucket.npz") == accepted("score", "here.npz")
    cloudpathlib.AnyPath(f"{bucket}/pred/b.jsonl").unlink()
    cloudpathlib.AnyPath(f"{bucket}/pred/c.jsonl").upload_from("pred/c.jsonl")
    (line,) = refused("count", f"{bucket}/gold/", f"{bucket}/pred", "-f", "jsonl", "-o", "none.npz")
    assert line.startswith(f"{bucket}/gold/ has no file c, and {bucket}/pred has one")


def test_a_file_in_a_bucket_is_named_as_it_was_given(here, bucket):
    cloudpathlib.AnyPath(f"{bucket}/text.spacy").write_text("no DocBin")
    lines = refused("evaluate", "training/model-best", f"{bucket}/text.spacy", f"{bucket}/none.spacy", "shards/a.spacy")
    assert lines[:2] == [
        f"{bucket}/none.spacy does not exist",
        f"{bucket}/text.spacy is not a .spacy file; expected a file written by DocBin.to_disk",
    ]


def test_a_url_of_a_file_is_that_file(here):
    names = [(here / name).as_uri() for name in SHARDS]
    assert evaluated(*names, "--parts", (here / "parts").as_uri()) == evaluated(*SHARDS)
    assert list(parts("parts")) == ALL_PARTS


def test_a_bucket_without_its_library_is_answered_with_what_to_install(here):
    (line,) = refused("evaluate", "training/model-best", "gs://bucket/a.spacy")
    assert "pip install cloudpathlib[gs]" in line
