"""The runner of the tests counts what binaries print, and a binary that dies fails."""
import contextlib
import io
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import test as runner

PASSED = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s"
FAILED = "test result: FAILED. 2 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"


def outcome(script):
    """Whether a binary that does this passed, its counts, and what was printed."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()) as printed:
        program = Path(folder) / "binary"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        total = runner.Counts(1)
        is_good = runner.run({"package": "p", "name": "n", "program": str(program), "folder": Path(folder)}, total)
    return is_good, total.sums, printed.getvalue()


class Runner(unittest.TestCase):
    def test_what_passes_is_counted_and_its_output_is_not_shown(self):
        is_good, sums, printed = outcome(f"echo noise; echo '{PASSED}'")
        self.assertEqual((is_good, sums), (True, [3, 0, 1]))
        self.assertNotIn("noise", printed)
        self.assertIn("[1/1] p n: ok", printed)

    def test_what_fails_is_counted_and_its_output_is_shown(self):
        is_good, sums, printed = outcome(f"echo reason; echo '{FAILED}'; exit 101")
        self.assertEqual((is_good, sums), (False, [2, 1, 0]))
        self.assertIn("reason", printed)

    def test_a_binary_that_dies_fails(self):
        is_good, sums, printed = outcome("echo half; kill -9 $$")
        self.assertEqual((is_good, sums), (False, [0, 1, 0]))
        self.assertIn("half", printed)
        self.assertIn("status -9", printed)


if __name__ == "__main__":
    unittest.main()
