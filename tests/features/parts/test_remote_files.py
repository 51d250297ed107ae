"""Files and parts in a bucket or at a URL."""

from collections.abc import Iterator
from pathlib import Path

import cloudpathlib
import pytest
from cloudpathlib.local import LocalS3Client, local_s3_implementation
from commands import printed
from sharded import ALL_PARTS, SHARDS, evaluated, parts, refused

from spacy_nereval.features.parts import shards


@pytest.fixture
def bucket(monkeypatch) -> Iterator[str]:
    """A bucket that is a folder of cloudpathlib's, which keeps no copies, as `io.paths.location` asks it to."""
    monkeypatch.setenv("CLOUDPATHLIB_FILE_CACHE_MODE", "close_file")
    monkeypatch.setitem(cloudpathlib.cloudpath.implementation_registry, "s3", local_s3_implementation)
    yield "s3://bucket"
    LocalS3Client.reset_default_storage_dir()


def uploaded(bucket: str, *names: str) -> list[str]:
    """The addresses of files of this folder in the bucket."""
    for name in names:
        cloudpathlib.AnyPath(f"{bucket}/{name}").upload_from(name)
    return [f"{bucket}/{name}" for name in names]


def listed(folder: str) -> list[str]:
    return sorted(path.name for path in cloudpathlib.AnyPath(folder).iterdir())


@pytest.mark.slow
def test_files_and_parts_may_be_in_a_bucket(here, bucket):
    more = ("-m", "strict", "--confidence", "--samples", 20)
    expected = evaluated(*SHARDS, *more)
    given = (*uploaded(bucket, *SHARDS), "--parts", f"{bucket}/parts", *more)
    assert evaluated(*given) == expected
    assert listed(f"{bucket}/parts") == ALL_PARTS
    assert evaluated(*given, said="(4 by an earlier run)") == expected
    assert evaluated(*uploaded(bucket, "whole.spacy"), *more) == expected


@pytest.mark.slow
def test_collapsed_parts_in_a_bucket_are_merged_there_and_so_are_the_hashes_of_ids(here, bucket, monkeypatch):
    check = ("--collapse", "--check-repeats", "-m", "strict", "--parts", f"{bucket}/parts")
    expected = evaluated(*SHARDS[:3], *check[:-2])
    monkeypatch.setattr(shards, "TOGETHER", 2)
    assert evaluated(*SHARDS[:3], *check) == expected
    names = listed(f"{bucket}/parts")
    assert names[:3] == ALL_PARTS[:3] and len(names) == 6
    (line,) = refused("evaluate", "training/model-best", *SHARDS[:3], "whole.spacy", *check)
    number = expected["documents"]
    assert line.startswith(f"shards/a.spacy and whole.spacy have documents with the same id, {number} in all files")


def test_a_compressed_file_in_a_bucket_is_read(here, bucket):
    """By a model, and against a compressed file of predictions."""
    printed("convert", "whole.spacy", "whole.jsonl.gz")
    wanted, (there,) = evaluated("whole.jsonl.gz"), uploaded(bucket, "whole.jsonl.gz")
    assert evaluated(there) == wanted
    printed("count", there, there, "-m", "strict", "-o", "whole.npz")
    assert f"{wanted['documents']} documents" in printed("score", "whole.npz")


@pytest.mark.slow
def test_a_corpus_in_a_bucket_is_named_by_a_pattern_a_folder_or_a_list(here, bucket):
    expected = evaluated(*SHARDS)
    corpus = f"{bucket}/corpus"
    Path("list.txt").write_text("\n".join(uploaded(corpus, *SHARDS)))
    for name in ("_SUCCESS", "shards/.a.spacy.crc"):
        cloudpathlib.AnyPath(f"{corpus}/{name}").write_text("")
    Path("patterns.txt").write_text(f"{corpus}/**/[ab].spacy\n{corpus}/shards/[cd].*\n")
    for given in (
        [f"{corpus}/*/*.spacy"],
        [corpus, "--format", "spacy"],
        ["--files-from", "list.txt"],
        ["--files-from", "patterns.txt"],
        ["shards", "--format", "spacy"],
    ):
        assert evaluated(*given) == expected, given
    assert refused("evaluate", "training/model-best", f"{bucket}/none/*") == [f"no file matches {bucket}/none/*"]


def test_predictions_in_a_bucket_are_paired_by_name(here, bucket):
    files = [f"{side}/{name}.jsonl" for side in ("gold", "pred") for name in "ab"]
    uploaded(bucket, *files)
    sides = ("count", f"{bucket}/gold/", f"{bucket}/pred", "-f", "jsonl", "-m", "strict", "-o", "bucket.npz")
    printed(*sides)
    printed("count", *files, "-m", "strict", "-o", "here.npz")
    assert printed("score", "bucket.npz") == printed("score", "here.npz")
    cloudpathlib.AnyPath(f"{bucket}/pred/b.jsonl").unlink()
    uploaded(bucket, "pred/c.jsonl")
    (line,) = refused(*sides)
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
