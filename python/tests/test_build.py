"""Tests of `build` and its messages.

    FINDLING_BINARY_PATH=target/release/findling PYTHONPATH=src python -m unittest discover tests
"""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import findling
from findling import _api
from findling._words import in_python


class Build(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.root = Path(directory.name)
        (self.root / "site").mkdir()
        (self.root / "site/kiln.md").write_text("# Kilns\n\nA kiln fires pots.\n")
        # A home without a model.
        patch = mock.patch.dict(os.environ, {"FINDLING_HOME": str(self.root / "home")})
        patch.start()
        self.addCleanup(patch.stop)
        _api._told = False

    def build(self, output: str, **arguments: object) -> findling.Report:
        more = {"options": ["--no-client"], **arguments}
        site, out = self.root / "site", self.root / output
        return findling.build(site, out, **more)  # type: ignore[arg-type]

    def test_a_build_needs_no_encoder_and_says_once_what_one_would_gain(self) -> None:
        with self.assertLogs("findling") as logs:
            report = self.build("out")
            self.build("other")
        self.assertEqual(report["encoder"], "static")
        self.assertEqual(len(logs.output), 1, logs.output)
        self.assertIn("install=True", logs.output[0])
        self.assertNotIn("--", logs.output[0])

    def test_a_named_encoder_says_nothing(self) -> None:
        with self.assertNoLogs("findling") if hasattr(self, "assertNoLogs") else mock.MagicMock():
            self.build("static", encoder="static")
            self.assertIsNone(self.build("none", encoder="none")["encoder"])

    def test_a_missing_model_is_told_in_the_words_of_this_package(self) -> None:
        with self.assertRaises(findling.FindlingError) as raised:
            self.build("out", encoder="all-minilm-l6-v2")
        message = str(raised.exception)
        self.assertNotIn("--", message)
        with self.assertRaises(findling.FindlingError) as raised:
            findling.Encoder("all-minilm-l6-v2").encode(["a"])
        self.assertNotIn("--", str(raised.exception))

    def test_options_of_the_program_become_arguments(self) -> None:
        for said, expected in [
            ("add --yes to install it", "add install=True to install it"),
            ("use --encoder static or --encoder none.", 'use encoder="static" or encoder="none".'),
            ("use --encoder with a model", "use encoder with a model"),
            ("--output: expected a name", "output: expected a name"),
            ("--limit is 0", "limit is 0"),
            ("try --facet NAME", "try facets NAME"),
            ("build with --fresh", 'build with options=["--fresh"]'),
            ("a well--known name, a -- and 1--2", "a well--known name, a -- and 1--2"),
        ]:
            self.assertEqual(in_python(said), expected)


if __name__ == "__main__":
    unittest.main()
