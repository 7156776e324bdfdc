#!/usr/bin/env python3
"""Cycles of files inside each crate, method calls counted.

File a depends on file b if a imports or names an item that b defines, or calls a function or method
that b defines. How a call of a method finds its file:

* `Type::name`, `Self::name`: the `impl` of that type that has the name.
* `self.name`, `parameter.name`, `local.name` and `.field.name` behind them: the same, where the
  signature, a struct, or `let x = Type::…` says the type. A method of a trait of the crate belongs
  to the trait's file.
* any other receiver: the file that defines the name, if it is one file, and if no type of the
  standard library has a method of that name (list in house.toml). Such calls are not counted,
  because the receiver is more likely the other one.

Not counted: `mod` and `pub use` lines (they say where code is, they do not use it), doc comments,
tests, code that macros make, and programs beside a library, since no file depends on them. A
finding is a file that lies in a cycle, and its key is the crate.
"""

from collections import defaultdict

import rust
from common import Finding, House, main

Edges = dict[str, dict[str, list[tuple[int, str]]]]


def methods_of(crate: rust.Crate) -> tuple[dict, dict]:
    """Files by (type, method), and by method alone."""
    typed: dict[tuple[str, str], str] = {}
    named: dict[str, set[str]] = defaultdict(set)
    traits = {item.name: item.file for s in crate.sources for item in s.items
              if item.kind == "trait"}
    for source in crate.sources:
        for item in source.items:
            if not item.owner or item.kind in ("field", "variant"):
                continue
            if item.trait:
                # A trait's method is found where the trait stands; a foreign trait's only by type.
                file = traits.get(item.trait)
                typed.setdefault((item.owner, item.name), file or source.file)
            else:
                typed[(item.owner, item.name)] = source.file
                named[item.name].add(source.file)
    return typed, named


def fields_of(crate: rust.Crate) -> dict[tuple[str, str], str]:
    """Types by (struct, field)."""
    return {(item.name, name): kind for s in crate.sources for item in s.items
            if item.kind in ("struct", "union") for name, kind in item.typed.items()}


def bodies(source: rust.Source) -> dict[int, rust.Item]:
    """For each token the function that it stands in."""
    result = {}
    for item in source.items:
        if item.kind == "fn":
            for i in range(*item.span):
                result[i] = item
    return result


def module_at(source: rust.Source, spans: list, i: int) -> tuple:
    """The module of a token: the file's, or that of an inner `mod`."""
    module = source.module
    for item in spans:
        if item.span[0] <= i < item.span[1]:
            module = item.module + (item.name,)
    return module


def edges(crate: rust.Crate, common: set[str]) -> Edges:
    """For each file the files that it depends on, with line and name of each use."""
    result: Edges = {s.file: {} for s in crate.sources}
    typed, named = methods_of(crate)
    fields = fields_of(crate)
    types = {item.name for s in crate.sources for item in s.items
             if item.kind in ("struct", "union", "enum", "trait", "type")}

    def add(source: rust.Source, file: str | None, line: int, name: str) -> None:
        if file and file != source.file:
            result[source.file].setdefault(file, []).append((line, name))

    for source in crate.sources:
        inner = [i for i in source.items if i.kind == "mod" and i.span[1] - i.span[0] > 4]
        for use in source.uses:
            if use.public or use.name == "*":
                continue
            found = crate.resolve(use.module, use.path)
            if found and found[0][1]:
                add(source, crate.defined[found[0]].file, use.line, use.name)
        function = bodies(source)
        judged = source.judged()
        keep = set(judged)
        toks = source.toks
        globbed = [u for u in source.uses if u.name == "*"]
        locals_of: dict[int, dict[str, str]] = {}
        for i in judged:
            token = toks[i]
            if token.kind != "id" or token.text in ("crate", "self", "super") and not (
                    i + 1 < len(toks) and toks[i + 1].text in ("::", ".")):
                continue
            before = toks[i - 1].text if i else ""
            body = function.get(i)
            if before == "::" or before == ".":
                continue
            # The whole path, or the whole chain of fields, from its head.
            path, j = [token.text], i
            while j + 2 < len(toks) and toks[j + 1].text == "::" and toks[j + 2].kind == "id":
                path.append(toks[j + 2].text)
                j += 2
            if len(path) > 1 or globbed:
                head = body.owner if path[0] == "Self" and body else path[0]
                module = module_at(source, inner, i)
                known = head in types and path[0] == "Self"
                found = None if known else crate.resolve(module, tuple(path))
                owner, rest = (head, tuple(path[1:])) if known else ("", ())
                if found and found[0][1]:
                    item = crate.defined[found[0]]
                    imported = (module, path[0]) in crate.imports
                    if not imported:
                        add(source, item.file, token.line, "::".join(path))
                    owner, rest = item.name, found[1]
                if owner and rest:
                    add(source, typed.get((owner, rest[0])), token.line, f"{owner}::{rest[0]}")
            if body is None:
                continue
            # `let x = Type::…` and `let x: Type` give the local its type.
            known_locals = locals_of.setdefault(id(body), dict(body.typed))
            if token.text == "let":
                k = i + 1 + (toks[i + 1].text == "mut")
                if toks[k].kind == "id" and toks[k + 1].text in ("=", ":"):
                    m = k + 2
                    while toks[m].text in ("&", "mut"):
                        m += 1
                    if toks[m].text in types and toks[m + 1].text in ("::", "{", "=", ";", "<"):
                        known_locals[toks[k].text] = toks[m].text
                    else:
                        known_locals.pop(toks[k].text, None)
                continue
        # Calls: `receiver . name (` or `. name :: < … > (`.
        for i in judged:
            if toks[i].text != "." or i + 2 >= len(toks) or toks[i + 1].kind != "id":
                continue
            if toks[i + 2].text not in ("(", "::") or i + 1 not in keep:
                continue
            name = toks[i + 1].text
            body = function.get(i)
            kind = receiver(source, i, body, locals_of, fields)
            file = typed.get((kind, name)) if kind else None
            if file is None and not kind:
                files = named.get(name, set())
                if len(files) == 1 and name not in common:
                    file = next(iter(files))
            add(source, file, toks[i + 1].line, f"{kind or '_'}.{name}()")
    return result


def receiver(source: rust.Source, dot: int, body: rust.Item | None, locals_of: dict,
             fields: dict) -> str | None:
    """The type of what stands before a dot: a chain of names, each a field of the one before."""
    toks = source.toks
    chain = []
    i = dot - 1
    while i >= 0 and toks[i].kind == "id":
        chain.append(toks[i].text)
        if i >= 1 and toks[i - 1].text == ".":
            i -= 2
            continue
        break
    else:
        return None
    if i < 0 or (i >= 1 and toks[i - 1].text == "::") or body is None:
        return None
    chain.reverse()
    known = locals_of.get(id(body), body.typed)
    kind = body.owner if chain[0] == "self" else known.get(chain[0])
    for name in chain[1:]:
        kind = fields.get((kind, name)) if kind else None
    return kind


def components(graph: Edges) -> list[list[str]]:
    """Strongly connected components of more than one file (Tarjan, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    on_stack: set[str] = set()
    stack: list[str] = []
    result = []
    for start in graph:
        if start in index:
            continue
        work = [(start, iter(graph[start]))]
        index[start] = low[start] = len(index)
        stack.append(start)
        on_stack.add(start)
        while work:
            node, successors = work[-1]
            for successor in successors:
                if successor not in index:
                    index[successor] = low[successor] = len(index)
                    stack.append(successor)
                    on_stack.add(successor)
                    work.append((successor, iter(graph[successor])))
                    break
                if successor in on_stack:
                    low[node] = min(low[node], index[successor])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == index[node]:
                    part = []
                    while True:
                        member = stack.pop()
                        on_stack.discard(member)
                        part.append(member)
                        if member == node:
                            break
                    if len(part) > 1:
                        result.append(sorted(part))
    return result


def judge(house: House) -> dict[str, tuple[Edges, list[list[str]]]]:
    """For each crate its graph of files and the cycles in it."""
    config = house.config["cycles"]
    if "cycles" in house.cache:
        return house.cache["cycles"]
    result = house.cache["cycles"] = {}
    for crate in rust.crates(house, config["exempt"]):
        graph = edges(crate, set(config["common_methods"]))
        result[crate.folder] = (graph, components(graph))
    return result


def find(house: House) -> list[Finding]:
    """Every file that lies in a cycle, with the uses that lead to the others in it."""
    result = []
    for folder, (graph, cycles) in judge(house).items():
        for number, part in enumerate(cycles, 1):
            for file in part:
                uses = []
                for target in part:
                    for line, name in graph[file].get(target, [])[:2]:
                        uses.append(f"{name} of {target.removeprefix(folder + '/src/')} "
                                    f"in line {line}")
                line = min(min(at for at, _ in graph[file][t]) for t in part if t in graph[file])
                result.append(Finding(file, line, f"cycle {number} of {len(part)} files: "
                                      + "; ".join(uses), folder))
    return result


def report(house: House) -> str:
    rows = [f"{'crate':32} {'files':>6} {'cycles':>7} {'files in them':>14}"]
    for folder, (graph, cycles) in sorted(judge(house).items()):
        inside = sum(len(part) for part in cycles)
        rows.append(f"{folder:32} {len(graph):6} {len(cycles):7} {inside:14}")
    return "\n".join(rows)


if __name__ == "__main__":
    main("cycles", __doc__, find, report)
