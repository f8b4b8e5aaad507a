"""Splits and embeds a site by a Ray Data pipeline, and builds its bundle.

    python embed_with_ray_data.py public public/findling --workers 8 -- --base-url /docs/

Actors around `findling.Splitter` read the files, and actors around `findling.Encoder` embed the
texts, on whatever machines Ray gives them. Sections and vectors are Parquet files in the directory
of --keep, which every machine has to reach, as it has to reach the input. The bundle has the same
bytes as one that a single machine builds.

A batch whose worker dies is done again by another. Other steps of a pipeline, such as leaving out
pages or texts, go between the calls of `map_batches`.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import List

import findling
import pyarrow
import ray
import ray.data

# Files of a task. Fewer spread better; a task of many starts the program less often.
FILES = 32
# Texts of a task: about a second of a transformer.
TEXTS = 64
# Cores that an actor asks for. With a whole one each, as many actors as there are cores would leave
# none to the tasks that read and write.
CORES = 0.5


class Split:
    """Files to sections."""

    def __init__(self, source: str, options: List[str]) -> None:
        self.splitter = findling.Splitter(source, encoder="none", options=options)

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        return findling.sections_arrow(self.splitter.split(batch["file"].to_pylist()))


class Embed:
    """Texts to vectors."""

    def __init__(self, encoder: str) -> None:
        self.encoder = findling.Encoder(encoder)

    def __call__(self, batch: pyarrow.Table) -> pyarrow.Table:
        return self.encoder.encode(batch["text"].to_pylist()).arrow()


def run(*arguments: str) -> None:
    """Runs the program of the package."""
    subprocess.run([findling.program(), *arguments], check=True)


def split(source: str, encoder: str, workers: int, options: List[str], to: Path) -> Path:
    """Splits the files. Returns the table of their sections."""
    with findling.Splitter(source, encoder="none", options=options) as splitter:
        files = [{"file": file} for file in splitter.files()]
    pipeline = ray.data.from_items(files, override_num_blocks=max(1, len(files) // FILES))
    pipeline = pipeline.map_batches(
        Split,
        fn_constructor_args=(source, options),
        batch_size=FILES,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(size=workers),
        num_cpus=CORES,
    )
    read = to / "split"
    pipeline.write_parquet(str(read))
    # The texts contain facts that depend on the whole site, such as titles without the site's name.
    sections = to / "sections.parquet"
    run("sections", str(read), "--encoder", encoder, "--output", str(sections))
    return sections


def embed(sections: Path, encoder: str, workers: int, to: Path) -> Path:
    """Embeds the texts of sections. Returns the directory of the tables of vectors."""

    def texts(batch: pyarrow.Table) -> pyarrow.Table:
        units = batch["units"].combine_chunks()
        return pyarrow.table({"text": pyarrow.array(units.flatten(), pyarrow.string())})

    pipeline = ray.data.read_parquet(str(sections)).select_columns(["units"])
    pipeline = pipeline.map_batches(texts, batch_format="pyarrow").repartition(workers * 4)
    pipeline = pipeline.map_batches(
        Embed,
        fn_constructor_args=(encoder,),
        batch_size=TEXTS,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(size=workers),
        num_cpus=CORES,
    )
    vectors = to / "vectors"
    pipeline.write_parquet(str(vectors))
    return vectors


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds a bundle by a Ray Data pipeline.")
    parser.add_argument("source", help="the input of findling build")
    parser.add_argument("output", help="the bundle's directory")
    parser.add_argument("--encoder", default="all-minilm-l6-v2", help="encoder of the documents")
    parser.add_argument("--workers", type=int, default=2, help="number of actors (2)")
    parser.add_argument("--keep", type=Path, help="directory in which the tables are kept")
    parser.epilog = "What follows -- are options of reading, as of findling sections."
    given = sys.argv[1:]
    end = given.index("--") if "--" in given else len(given)
    arguments, options = parser.parse_args(given[:end]), given[end + 1 :]
    if arguments.workers < 1:
        parser.error(f"--workers: expected a number from 1 on, found {arguments.workers}")

    source = str(Path(arguments.source).resolve())
    ray.init(log_to_driver=False)
    with tempfile.TemporaryDirectory() as temporary:
        to = (arguments.keep or Path(temporary)).resolve()
        to.mkdir(parents=True, exist_ok=True)
        for earlier in ("split", "vectors"):
            shutil.rmtree(to / earlier, ignore_errors=True)
        encoder, workers = arguments.encoder, arguments.workers
        sections = split(source, encoder, workers, options, to)
        vectors = embed(sections, encoder, workers, to)
        tables = [str(sections), str(vectors)]
        run("build", *tables, "--encoder", encoder, "--output", arguments.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
