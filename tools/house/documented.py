#!/usr/bin/env python3
"""Which public items have a doc comment, in percent for each crate.

Counted is what rustc's lint `missing_docs` looks at: the crate, modules, functions, types, fields,
variants, traits and their items, constants, exported macros, methods of `impl` blocks; each if
another crate can name it. Items that macros make are not seen. A program without a library counts
as one item, its crate.
"""

import rust
from common import Finding, House, main


def public_items(crate: rust.Crate) -> list[rust.Item]:
    """The items of a crate that need a doc comment."""
    root = crate.modules.get(())
    result = [rust.Item("crate", crate.name, 1, True, bool(root and root.inner_doc), (),
                        root.file if root else crate.folder)]
    if crate.root_file != "lib.rs":
        return result
    reachable = crate.reachable()
    names = {name for _, name in reachable}
    for source in crate.sources:
        for item in source.items:
            if not item.public or item.hidden:
                continue
            if item.kind in ("field", "variant"):
                # A type's members are where the type is.
                seen = (item.module, item.owner) in reachable
            elif item.owner:
                # A method may stand in another file than its type: the type is found by name.
                seen = item.owner in names and (not item.trait)
            elif item.kind == "macro":
                seen = True
            else:
                seen = (item.module, item.name) in reachable
            if item.kind == "mod" and seen:
                inside = crate.modules.get(item.module + (item.name,))
                item.documented |= bool(inside and inside.inner_doc)
            if seen:
                result.append(item)
    return result


def crates(house: House) -> list[rust.Crate]:
    return rust.crates(house, house.config["documented"]["exempt"])


def find(house: House) -> list[Finding]:
    """Public items without a doc comment, counted by crate."""
    result = []
    for crate in crates(house):
        for item in public_items(crate):
            if not item.documented:
                name = f"{item.owner}::{item.name}" if item.owner else item.name
                result.append(Finding(item.file, item.line, f"no doc comment: {item.kind} {name}",
                                      crate.folder))
    return result


def table(house: House) -> dict[str, tuple[int, int]]:
    """(documented, all) public items of each crate and of each top folder."""
    result: dict[str, tuple[int, int]] = {}
    for crate in crates(house):
        items = public_items(crate)
        good = sum(item.documented for item in items)
        for key in {crate.folder, crate.folder.split("/")[0]}:
            old = result.get(key, (0, 0))
            result[key] = (old[0] + good, old[1] + len(items))
    return dict(sorted(result.items()))


def report(house: House) -> str:
    rows = [f"{'crate':32} {'public':>7} {'documented':>11} {'percent':>8}"]
    for key, (good, everything) in table(house).items():
        mark = key if "/" in key else f"{key} (all)"
        rows.append(f"{mark:32} {everything:7} {good:11} {100 * good / everything:8.1f}")
    return "\n".join(rows)


def items(house: House, _: list[Finding]) -> dict:
    """(documented, all) public items of each crate, for the JSON object."""
    return {"items": {key: counts for key, counts in table(house).items() if "/" in key}}


if __name__ == "__main__":
    main("documented", __doc__, find, report, items)
