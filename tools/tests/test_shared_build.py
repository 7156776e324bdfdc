"""The check that the tests share the build."""
import contextlib
import io
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import shared_build


class SharedBuild(unittest.TestCase):
    def outcome(self, build, tests):
        printed = io.StringIO()
        trees = {tuple(shared_build.BUILD): build, tuple(shared_build.TESTS): tests}
        with mock.patch.object(shared_build, "tree", lambda arguments: trees[tuple(arguments)]), contextlib.redirect_stdout(printed):
            return shared_build.main(), printed.getvalue()

    def test_the_same_features_are_fine_whatever_else_the_tests_have(self):
        tests = "model v1.0.0 (/there) [host]\nother v2.0.0 [std] (*)\nmodel v1.0.0 (/there) [host]\n"
        self.assertEqual(self.outcome("model v1.0.0 (/there) [host]\n", tests), (0, ""))

    def test_a_feature_of_the_tests_alone_is_found(self):
        status, printed = self.outcome("model v1.0.0 (/there) [host]\n", "model v1.0.0 (/there) [host,mock]\n")
        self.assertEqual(status, 1)
        self.assertIn("model v1.0.0: the build has [host], and the tests have [host,mock]", printed)

    def test_a_package_may_be_built_for_build_scripts_too(self):
        both = "syn v2.0.0 [full]\nsyn v2.0.0 [full,visit]\n"
        self.assertEqual(self.outcome("syn v2.0.0 [full]\n", both)[0], 0)


if __name__ == "__main__":
    unittest.main()
