#!/usr/bin/env python3
"""Names the packages that `make test` builds with other features than `make build`.

Cargo builds such a package twice, and all that depends on it: a test after a build then takes minutes longer.
"""
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ["--package", "nicscope", "--edges", "normal,build"]
TESTS = ["--workspace", "--edges", "normal,build,dev"]


def main():
    build, tests = packages(tree(BUILD)), packages(tree(TESTS))
    different = {package: features for package, features in build.items() if not features <= tests.get(package, set())}
    for package, features in sorted(different.items()):
        print(f"{package}: the build has {shown(features)}, and the tests have {shown(tests.get(package, set()))}")
    return 1 if different else 0


def tree(arguments):
    """The packages with their features, one in a line."""
    command = ["cargo", "tree", "--prefix", "none", "--no-dedupe", "--format", "{p} [{f}]", *arguments]
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout


def packages(text):
    """Each package with the sets of features that it is built with: as a build dependency it may have others."""
    found = {}
    for line in text.splitlines():
        package, _, features = line.partition(" [")
        if features:
            # The path of a member, or a note, may stand behind the version.
            name = " ".join(package.split()[:2])
            found.setdefault(name, set()).add(features.split("]")[0])
    return found


def shown(features):
    return " and ".join(f"[{those}]" for those in sorted(features)) or "none"


if __name__ == "__main__":
    sys.exit(main())
