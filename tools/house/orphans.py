#!/usr/bin/env python3
"""Rust files that no crate compiles, because no `mod` declaration leads to them.

A file is named by `mod`, by a `#[path]` or by an `include!`. The roots of a crate and the files
that Cargo finds by itself (`src/bin`, `tests`, `examples`, `benches`, `build.rs`) need no name.
"""

import os.path
import re

from common import Finding, House, below, main

_MOD = re.compile(r'(?:#\[path\s*=\s*"([^"]+)"\]\s*)?\bmod\s+(\w+)\s*;')
_INCLUDE = re.compile(r'\binclude(?:_str|_bytes)?!\(\s*"([^"]+)"')
_ROOT = re.compile(r"(^|/)(lib|main|build)\.rs$|(^|/)(tests|examples|benches)/[^/]+\.rs$|(^|/)src/bin/")
_OWN_FOLDER = re.compile(r"(^|/)(mod|lib|main)\.rs$|(^|/)(tests|examples|benches|bin)/[^/]+\.rs$")


def find(house: House) -> list[Finding]:
    """Each file that nothing names."""
    files = [f for f in house.files() if f.endswith(".rs")]
    named: set[str] = set()
    for file in files:
        text = house.text(file)
        folder, name = os.path.split(file)
        # The folder of `mod x;`: that of the file, or one with the file's name.
        home = folder if _OWN_FOLDER.search(file) else os.path.join(folder, name[:-len(".rs")])
        for path, module in _MOD.findall(text):
            if path:
                named.add(os.path.normpath(os.path.join(folder, path)))
            named |= {os.path.join(home, module + ".rs"), os.path.join(home, module, "mod.rs")}
        named |= {os.path.normpath(os.path.join(folder, p)) for p in _INCLUDE.findall(text)}
    exempt = house.config["orphans"]["exempt"]
    return [Finding(file, 1, "no crate compiles it") for file in files
            if file not in named and not _ROOT.search(file) and not below(file, exempt)]


if __name__ == "__main__":
    main("orphans", __doc__, find)
