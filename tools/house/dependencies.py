#!/usr/bin/env python3
"""What the command contains, and which way the crates depend on each other.

Judged are normal and build dependencies, not those of tests:

* what is reached from the command has no bench crate, no crate and no feature that is only for
  tests;
* a crate depends on crates of the folders that `[dependencies.layers]` allows to its own folder.

The manifests say so, no command is run. Optional dependencies count as if they were there.
"""

import os
import tomllib

import rust
from common import Finding, House, below, main


class Manifest:
    """A crate of the workspace: its folder and its dependencies (name, features asked for)."""

    def __init__(self, house: House, folder: str, shared: dict, folders: dict[str, str]):
        self.folder = folder
        self.file = f"{folder}/Cargo.toml"
        text = house.text(self.file)
        table = tomllib.loads(text)
        self.name = table["package"]["name"]
        self.lines = text.split("\n")
        self.needs: list[tuple[str, list[str]]] = []
        parts = [table, *table.get("target", {}).values()]
        for part in parts:
            for kind in ("dependencies", "build-dependencies"):
                for name, wish in part.get(kind, {}).items():
                    wish = wish if isinstance(wish, dict) else {}
                    features = list(wish.get("features", []))
                    if wish.get("workspace"):
                        base = shared.get(name, {})
                        wish = base if isinstance(base, dict) else {}
                        features += wish.get("features", [])
                    if "path" in wish and not name in shared:
                        path = os.path.normpath(os.path.join(folder, wish["path"]))
                        name = folders.get(path, name)
                    self.needs.append((wish.get("package", name), features))

    def line(self, word: str) -> int:
        """The first line that begins with a dependency's name."""
        for number, line in enumerate(self.lines, 1):
            if line.startswith(word):
                return number
        return 1


def layer(folder: str, layers: dict[str, list[str]]) -> list[str] | None:
    """What a folder may depend on: the entry of the longest prefix."""
    fitting = [prefix for prefix in layers if below(folder, [prefix])]
    return layers[max(fitting, key=len)] if fitting else None


def find(house: House) -> list[Finding]:
    config = house.config["dependencies"]
    shared = tomllib.loads(house.text("Cargo.toml"))["workspace"].get("dependencies", {})
    folders = {}
    for folder in rust.crate_folders(house.files()):
        folders[folder] = tomllib.loads(house.text(f"{folder}/Cargo.toml"))["package"]["name"]
    crates = {m.name: m for m in (Manifest(house, f, shared, folders) for f in folders)}
    result = []

    # Everything that the command reaches.
    reached, stack = set(), [config["command"]]
    while stack:
        name = stack.pop()
        if name in reached or name not in crates:
            continue
        reached.add(name)
        crate = crates[name]
        for need, features in crate.needs:
            stack.append(need)
            at = crate.line(need)
            if need in config["forbidden_crates"]:
                result.append(Finding(crate.file, at, f"{need} is for tests, and the command "
                                      f"`{config['command']}` contains it"))
            if need in crates and below(crates[need].folder, config["benches"]):
                result.append(Finding(crate.file, at, f"{need} is a bench, and the command "
                                      f"`{config['command']}` contains it"))
            for feature in features:
                if need in crates and feature in config["forbidden_features"]:
                    result.append(Finding(crate.file, at, f"feature {feature} of {need} is for "
                                          f"tests, and the command contains it"))

    # One way between the parts of the workspace.
    for crate in crates.values():
        allowed = layer(crate.folder, config["layers"])
        if allowed is None:
            result.append(Finding(crate.file, 1, "its folder has no entry in [dependencies.layers]"))
            continue
        for need, _ in crate.needs:
            if need in crates and not below(crates[need].folder, allowed):
                result.append(Finding(crate.file, crate.line(need),
                                      f"{crate.folder} may not depend on {crates[need].folder}"))
    return result


if __name__ == "__main__":
    main("dependencies", __doc__, find)
