"""Tests of the functions for data engines: `Encoder`, `Splitter` and `split_sections`.

    FINDLING_BINARY_PATH=target/release/findling PYTHONPATH=src python -m unittest discover tests

Needs the program alone. The encoders are `hash` and `static`, which need no download;
FINDLING_TEST_ENCODERS names others, such as all-minilm-l6-v2 where it is installed.
"""

from __future__ import annotations

import copy
import json
import os
import pickle
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path
from typing import Any, Dict, List

import findling
from findling import FindlingError, FindlingWarning

ENCODERS = os.environ.get("FINDLING_TEST_ENCODERS", "hash static").split()
TEXTS = ["Kilns are fired slowly.", "The glaze runs.", "", "Kilns are fired slowly.", "é\u0301 ✓"]


def site(directory: str) -> Path:
    root = Path(directory, "site")
    root.mkdir()
    for number in range(12):
        sections = "".join(
            f"## Part {part}\n\nBowl {number} has part {part} and a glaze of ash.\n\n"
            for part in range(number % 4)
        )
        root.joinpath(f"bowl{number}.md").write_text(f"# Bowl {number}\n\nClay.\n\n{sections}")
    return root


def files(directory: Path) -> Dict[str, bytes]:
    paths = sorted(path for path in directory.rglob("*") if path.is_file())
    return {str(path.relative_to(directory)): path.read_bytes() for path in paths}


def vectors_of_program(*arguments: str) -> List[Dict[str, Any]]:
    """The output of `findling embed`: the vectors that a build makes."""
    command = [findling.program(), "--quiet", "embed", "--no-cache", *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Home(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.home = temporary.name


class EncoderTest(Home):
    def test_vectors_are_those_of_the_build_bit_by_bit(self) -> None:
        root = site(self.home)
        for name in ENCODERS:
            rows = findling.split_sections(root, encoder=name)
            texts = [text for row in rows for text in row["units"] or []]
            self.assertGreater(len(texts), 20)
            expected = {
                row["key"]: row for row in vectors_of_program(str(root), f"--encoder={name}")
            }
            with findling.Encoder(name) as encoder:
                for size in (1, 7, len(texts)):
                    for start in range(0, len(texts), size):
                        found = encoder.encode(texts[start : start + size])
                        self.assertEqual(found.encoder, name)
                        for row in found.rows():
                            of_build = expected[row["key"].hex()]
                            packed = [
                                struct.pack(f"<{len(vector)}f", *vector)
                                for vector in (row["vector"], of_build["vector"])
                            ]
                            self.assertEqual(packed[0], packed[1])
                            for same in ("model", "tokens", "truncated"):
                                self.assertEqual(row[same], of_build[same])

    def test_texts_keep_their_order_and_every_text_has_a_vector(self) -> None:
        with findling.Encoder("hash") as encoder:
            many = [f"{text} {number}" for number in range(300) for text in TEXTS]
            found = encoder.encode(many)
            self.assertEqual(len(found), len(many))
            self.assertEqual(len(found.data), len(many) * encoder.dimensions * 4)
            self.assertEqual(encoder.encode(many[700:701]).lists()[0], found.lists()[700])
            same = encoder.encode(TEXTS)
            self.assertEqual(same.keys[0], same.keys[3])
            self.assertEqual(same.lists()[0], same.lists()[3])
            self.assertEqual(len(encoder.encode([])), 0)

    def test_errors_say_what_to_do_and_an_encoder_goes_on_after_them(self) -> None:
        with self.assertRaisesRegex(FindlingError, "models add"):
            findling.Encoder("no-such-model").encode(["a"])
        with self.assertRaises(FindlingError):
            findling.Encoder("none").encode(["a"])
        with findling.Encoder("hash") as encoder:
            with self.assertRaises(TypeError):
                encoder.encode("one text")
            with self.assertRaises(FindlingError):
                encoder.encode(["a"], side="neither")  # type: ignore[arg-type]
            with self.assertRaises(FindlingError):
                encoder.encode(["\ud800"])
            self.assertEqual(len(encoder.encode(["a"])), 1)

    def test_a_program_that_is_killed_is_an_error_and_the_next_call_starts_another(self) -> None:
        encoder = findling.Encoder("hash")
        encoder.encode(["a"])
        process = encoder._pipe._process
        assert process is not None and process.stdout is not None
        process.kill()
        process.wait()
        self.assertEqual(len(encoder.encode(["a"])), 1)
        process = encoder._pipe._process
        assert process is not None
        # It dies after the request is begun: nobody reads the answer of a dead program.
        os.kill(process.pid, signal.SIGSTOP)
        timer = threading.Timer(0.2, lambda: os.kill(process.pid, signal.SIGKILL))
        timer.start()
        with self.assertRaisesRegex(FindlingError, "status -9"):
            encoder.encode(["a"])
        self.assertEqual(len(encoder.encode(["a"])), 1)
        encoder.close()

    def test_threads_share_an_encoder(self) -> None:
        with findling.Encoder("hash") as encoder:
            expected = [encoder.encode([f"text {at}"]).data for at in range(40)]
            found: List[Any] = [None] * 40

            def work(first: int) -> None:
                for at in range(first, 40, 4):
                    found[at] = encoder.encode([f"text {at}"]).data

            threads = [threading.Thread(target=work, args=(first,)) for first in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(found, expected)

    def test_copies_and_forked_processes_have_programs_of_their_own(self) -> None:
        encoder = findling.Encoder("hash")
        expected = encoder.encode(TEXTS).data
        for other in (pickle.loads(pickle.dumps(encoder)), copy.deepcopy(encoder)):
            self.assertEqual(other.encode(TEXTS).data, expected)
            other.close()
        child = os.fork()
        if child == 0:
            os._exit(0 if encoder.encode(TEXTS).data == expected else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertEqual(encoder.encode(TEXTS).data, expected)
        encoder.close()

    def test_the_program_ends_with_a_process_that_is_killed(self) -> None:
        code = (
            "import findling, time\n"
            "encoder = findling.Encoder('hash')\n"
            "encoder.encode(['a'])\n"
            "print(encoder._pipe._process.pid, flush=True)\n"
            "time.sleep(60)\n"
        )
        parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        assert parent.stdout is not None
        program = int(parent.stdout.readline())
        parent.kill()
        parent.wait()
        parent.stdout.close()
        for _ in range(100):
            try:
                os.kill(program, 0)
            except ProcessLookupError:
                return
            # If no process waits for orphans, they stay as zombies.
            status = Path(f"/proc/{program}/stat")
            if status.is_file() and status.read_text().rsplit(")", 1)[1].split()[0] == "Z":
                return
            time.sleep(0.1)
        self.fail("the program lives on")


class SplitterTest(Home):
    def test_rows_of_a_site_build_its_bundle(self) -> None:
        root = site(self.home)
        try:
            import pyarrow.parquet
        except ImportError:
            self.skipTest("needs pyarrow")
        rows = []
        with findling.Splitter(root, encoder="hash") as splitter:
            listed = splitter.files()
            self.assertEqual(len(listed), 12)
            for start in range(0, 12, 5):
                rows.extend(splitter.split(listed[start : start + 5]))
        with findling.Encoder("hash") as encoder:
            vectors = encoder.encode([text for row in rows for text in row["units"] or []])
        tables = Path(self.home, "tables")
        tables.mkdir()
        # In any order.
        rows.reverse()
        pyarrow.parquet.write_table(findling.sections_arrow(rows), tables / "sections.parquet")
        pyarrow.parquet.write_table(vectors.arrow(), tables / "vectors.parquet")
        options = ["--no-client", "--no-cache"]
        for source in (root, tables):
            output = Path(self.home, f"of-{source.name}")
            report = findling.build(source, output, encoder="hash", options=options)
            embedded = [stage for stage in report["stages"] if stage["name"] == "embed"]
            self.assertEqual([stage["count"] == 0 for stage in embedded], [source == tables])
        found = [files(Path(self.home, name)) for name in ("of-tables", "of-site")]
        self.assertEqual(found[0].keys(), found[1].keys())
        self.assertEqual(found[0], found[1])

    def test_contents_are_split_as_files_are(self) -> None:
        root = site(self.home)
        names = sorted(path.name for path in root.iterdir())
        rows = findling.split_sections(root, encoder="none")
        of_files = {row["page"]: row["text"] for row in rows}
        given: List[Dict[str, Any]] = [
            {"file": name, "text": root.joinpath(name).read_text()} for name in names[:6]
        ]
        given += [{"file": name, "bytes": root.joinpath(name).read_bytes()} for name in names[6:]]
        rows = findling.split_sections(given, encoder="none")
        self.assertEqual({row["page"]: row["text"] for row in rows}, of_files)
        self.assertTrue(all(row["units"] is None for row in rows))

    def test_what_is_wrong_with_files_is_told(self) -> None:
        with findling.Splitter(encoder="none") as splitter:
            with self.assertRaisesRegex(FindlingError, "listed"):
                splitter.split(["other.md"])
            with self.assertRaises(FindlingError):
                splitter.split([{"file": "a.unknown", "text": "a"}])
            with self.assertRaises(FindlingError):
                splitter.split([{"file": "a.md"}])
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                records = '{"_id": "a", "text": "A."}\n{"broken\n'
                rows = splitter.split([{"file": "a.jsonl", "text": records}])
            self.assertEqual([row["page"] for row in rows], ["a"])
            self.assertEqual([warning.category for warning in told], [FindlingWarning])


if __name__ == "__main__":
    unittest.main()
