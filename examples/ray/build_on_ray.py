"""Builds a bundle on the machines of a Ray cluster.

    python build_on_ray.py public public/findling --parts 16 -- --encoder all-minilm-l6-v2

Each task reads and embeds a share of the files (`findling build --part I/N`) on whatever machine
Ray gives it. The driver collects the parts and joins them (`findling merge`). The bundle has the
same bytes as one that a single machine builds.

A part whose worker dies is built again, elsewhere. A part that is in the directory of --keep is not
built again, so that a run which was interrupted goes on where it stopped.

Every machine needs the input under the same path, the packages `findling` and `ray`, and the same
model (`findling models install`).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import findling
import ray

# How often a part is tried again after its worker died.
MAX_RETRIES = 4
# Exit status of a build that left out files it could not read.
SOME_UNREADABLE = 3


def run(*arguments: str) -> int:
    """Runs the program of the package. Returns its exit status, 0 or SOME_UNREADABLE."""
    command = [findling.program(), *arguments]
    done = subprocess.run(command, stderr=subprocess.PIPE, encoding="utf-8", check=False)
    if done.returncode not in (0, SOME_UNREADABLE):
        raise findling.FindlingError(done.stderr.strip())
    sys.stderr.write(done.stderr)
    return done.returncode


# An error of the program, such as a missing model, would be the same everywhere, so only a worker
# that died is replaced.
@ray.remote(max_retries=MAX_RETRIES)
def build_part(number: int, of: int, source: str, options: list[str]) -> bytes:
    """Reads and embeds a share of the files. Returns the part."""
    with tempfile.TemporaryDirectory() as directory:
        part = Path(directory, "part")
        share = f"{number}/{of}"
        run("build", source, *options, "--part", share, "--output", str(part))
        return part.read_bytes()


def collect(source: str, of: int, options: list[str], directory: Path) -> list[Path]:
    """Builds the parts that are not in the directory yet, as they come."""
    parts = [directory / f"{number}-of-{of}.part" for number in range(1, of + 1)]
    waiting = {
        build_part.remote(number, of, source, options): part
        for number, part in enumerate(parts, 1)
        if not part.is_file()
    }
    while waiting:
        (done,), _ = ray.wait(list(waiting), num_returns=1)
        part = waiting.pop(done)
        # A part that is cut off must not be taken for one that is there.
        unfinished = part.with_suffix(".new")
        unfinished.write_bytes(ray.get(done))
        unfinished.replace(part)
        print(f"{part.name}: {part.stat().st_size:,} bytes, {len(waiting)} to come", flush=True)
    return parts


def main() -> int:
    parser = argparse.ArgumentParser(description="Builds a bundle on a Ray cluster.")
    parser.add_argument("source", help="the input of findling build")
    parser.add_argument("output", help="the bundle's directory")
    parser.add_argument("--parts", type=int, default=8, help="number of parts (8)")
    parser.add_argument("--keep", type=Path, help="directory in which parts are kept")
    parser.epilog = "What follows -- are other options of findling build."
    given = sys.argv[1:]
    split = given.index("--") if "--" in given else len(given)
    arguments, options = parser.parse_args(given[:split]), given[split + 1 :]
    if not 1 <= arguments.parts <= 10_000:
        parser.error(f"--parts: expected a number from 1 to 10000, found {arguments.parts}")

    source = str(Path(arguments.source).resolve())
    # On a laptop this starts a cluster of its own; on a cluster, RAY_ADDRESS says where it is.
    ray.init(log_to_driver=False)
    with tempfile.TemporaryDirectory() as temporary:
        directory = arguments.keep or Path(temporary)
        directory.mkdir(parents=True, exist_ok=True)
        parts = collect(source, arguments.parts, options, directory)
        return run("merge", *map(str, parts), "--output", arguments.output)


if __name__ == "__main__":
    sys.exit(main())
