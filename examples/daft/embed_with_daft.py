"""Embeds a site by a Daft pipeline, and builds its bundle.

    python embed_with_daft.py public public/findling --workers 2 -- --base-url /docs/

The driver splits the site (`findling sections`), instances of a class around `findling.Encoder`
embed the texts, and the driver builds the bundle of the tables. It has the same bytes as one of the
site itself. On this machine each instance is a process of its own; with
`daft.set_runner_ray("ray://…")` they are on the machines of a Ray cluster, which have to reach the
directory of --keep.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import daft
import findling
import pyarrow
from daft import DataType

# Texts that are embedded at once: about a second of a transformer.
TEXTS = 64
#: A row of a table of vectors.
ROW = DataType.struct(
    {
        "key": DataType.binary(),
        "encoder": DataType.string(),
        "model": DataType.string(),
        "vector": DataType.list(DataType.float32()),
        "tokens": DataType.int32(),
        "truncated": DataType.bool(),
    }
)


def embedder(encoder: str, workers: int) -> object:
    """Makes the class whose instances embed texts."""

    @daft.cls(max_concurrency=workers, use_process=True)
    class Embed:
        def __init__(self, encoder: str) -> None:
            self.encoder = findling.Encoder(encoder)

        @daft.method.batch(return_dtype=ROW, unnest=True, batch_size=TEXTS)
        def rows(self, texts: daft.Series) -> pyarrow.Array:
            return self.encoder.encode(texts.to_pylist()).arrow().to_struct_array()

    return Embed(encoder)


def run(*arguments: str) -> None:
    """Runs the program of the package."""
    subprocess.run([findling.program(), *arguments], check=True)


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds a bundle by a Daft pipeline.")
    parser.add_argument("source", help="the input of findling build")
    parser.add_argument("output", help="the bundle's directory")
    parser.add_argument("--encoder", default="all-minilm-l6-v2", help="encoder of the documents")
    parser.add_argument("--workers", type=int, default=2, help="number of instances (2)")
    parser.add_argument("--keep", type=Path, help="directory in which the tables are kept")
    parser.epilog = "What follows -- are options of reading, as of findling sections."
    given = sys.argv[1:]
    end = given.index("--") if "--" in given else len(given)
    arguments, options = parser.parse_args(given[:end]), given[end + 1 :]

    with tempfile.TemporaryDirectory() as temporary:
        to = (arguments.keep or Path(temporary)).resolve()
        to.mkdir(parents=True, exist_ok=True)
        sections, vectors = to / "sections.parquet", to / "vectors"
        shutil.rmtree(vectors, ignore_errors=True)
        encoder = ["--encoder", arguments.encoder]
        run("sections", arguments.source, *encoder, "--output", str(sections), *options)

        embed = embedder(arguments.encoder, arguments.workers)
        texts = daft.read_parquet(str(sections)).explode("units")
        texts = texts.where(daft.col("units").not_null()).select("units").distinct()
        texts.select(embed.rows(texts["units"])).write_parquet(str(vectors))

        run("build", str(sections), str(vectors), *encoder, "--output", arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
