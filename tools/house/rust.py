"""Reads Rust source far enough to say which file defines an item and which items a file uses.

No compiler is asked, so that `make lint` takes seconds. What macros make is not seen. Code under
`#[cfg(test)]` is left out.
"""

import functools
import pathlib
import re
import tomllib
from dataclasses import dataclass, field
from typing import Iterator, NamedTuple

from common import House, below

_TOKEN = re.compile(
    r"""(?P<space>\s+)
      | (?P<doc>///(?!/)[^\n]*)
      | (?P<inner>//![^\n]*)
      | (?P<comment>//[^\n]*)
      | (?P<block>/\*)
      | (?P<raw>\b(?:b|c)?r(?P<hashes>\#*)".*?"(?P=hashes))
      | (?P<string>\b[bc]"(?:\\.|[^"\\])*"|"(?:\\.|[^"\\])*")
      | (?P<char>b?'(?:\\(?:u\{[^}]*\}|x[0-9a-fA-F]{2}|.)|[^\\'\n])')
      | (?P<life>'[A-Za-z_]\w*)
      | (?P<id>(?:r\#)?[A-Za-z_]\w*)
      | (?P<number>\d\w*(?:\.\d\w*)?)
      | (?P<mark>::|->|=>|\.\.=?|&&|\|\||.)""", re.X | re.S)


class Token(NamedTuple):
    """`kind` is id, mark, number, string, char, life, doc (///) or inner (//!)."""

    kind: str
    text: str
    line: int


@functools.lru_cache(maxsize=None)
def tokens(text: str) -> list[Token]:
    """The tokens of a file, without blanks and plain comments."""
    result = []
    at, line = 0, 1
    while at < len(text):
        match = _TOKEN.match(text, at)
        kind, found = match.lastgroup, match.group()
        if kind == "hashes":
            kind = "raw"
        if kind == "block":
            depth, end = 0, at
            while True:
                edge = re.compile(r"/\*|\*/").search(text, end)
                if edge is None:
                    end = len(text)
                    break
                depth += 1 if edge.group() == "/*" else -1
                end = edge.end()
                if depth == 0:
                    break
            found = text[at:end]
            if found.startswith("/**") and not found.startswith("/***") and len(found) > 4:
                result.append(Token("doc", found, line))
        elif kind == "raw":
            result.append(Token("string", found, line))
        elif kind not in ("space", "comment"):
            result.append(Token(kind, found, line))
        line += found.count("\n")
        at += len(found)
    return result


_OPEN = {"(": ")", "[": "]", "{": "}"}


def partners(toks: list[Token]) -> dict[int, int]:
    """For each opening bracket the index of its closing one."""
    result, stack = {}, []
    for i, token in enumerate(toks):
        if token.kind != "mark":
            continue
        if token.text in _OPEN:
            stack.append(i)
        elif token.text in (")", "]", "}") and stack:
            result[stack.pop()] = i
    for i in stack:
        result[i] = len(toks)
    return result


@dataclass
class Item:
    """An item, a field or a variant, as far as the scripts need it."""

    kind: str
    name: str
    line: int
    public: bool
    documented: bool
    module: tuple[str, ...]
    file: str
    # Of a method or associated constant: the type of its `impl`, or the trait that declares it.
    owner: str = ""
    # Of an `impl`: the trait, when there is one; its methods are not the type's own.
    trait: str = ""
    # Token indices of the whole item.
    span: tuple[int, int] = (0, 0)
    hidden: bool = False
    # Of a struct: names and types of its fields. Of a function: of its parameters.
    typed: dict[str, str] = field(default_factory=dict)


@dataclass
class Use:
    """One name that a `use` brings into a module; `name` is `*` for all names of the path."""

    module: tuple[str, ...]
    name: str
    path: tuple[str, ...]
    public: bool
    line: int
    file: str


class Source:
    """One file of a crate: its tokens, items and imports."""

    def __init__(self, file: str, module: tuple[str, ...], text: str):
        self.file = file
        self.module = module
        self.toks = tokens(text)
        self.pair = partners(self.toks)
        self.items: list[Item] = []
        self.uses: list[Use] = []
        # Token ranges that are not judged: tests, and `use` statements (kept in `uses`).
        self.skipped: list[tuple[int, int]] = []
        self.module_public: dict[tuple[str, ...], bool] = {}
        self.inner_doc = self._doc_of_body(0)
        self._parse(0, len(self.toks), module, "", "", False, True)

    def _doc_of_body(self, at: int) -> bool:
        """Whether a module's inside begins with `//!`, after attributes of the module."""
        toks = self.toks
        while [t.text for t in toks[at:at + 3]] == ["#", "!", "["]:
            if [t.text for t in toks[at + 3:at + 5]] == ["doc", "="]:
                return True
            at = self.pair[at + 2] + 1
        return at < len(toks) and toks[at].kind == "inner"

    def _parse(self, i: int, end: int, module: tuple[str, ...], owner: str, trait: str,
               in_trait: bool, in_public: bool) -> None:
        """Items between two tokens. `in_public`: members are public without saying so."""
        toks, pair = self.toks, self.pair
        while i < end:
            start, documented, hidden, test = i, False, False, False
            # Attributes and doc comments.
            while i < end:
                token = toks[i]
                if token.kind == "doc":
                    documented, i = True, i + 1
                elif token.kind == "inner":
                    i += 1
                elif token.text == "#":
                    bracket = i + 1 + (toks[i + 1].text == "!")
                    body = [t.text for t in toks[bracket + 1:pair[bracket]]]
                    documented |= body[:2] == ["doc", "="]
                    hidden |= body[:1] == ["doc"] and "hidden" in body
                    test |= body[:2] == ["cfg", "("] and "test" in body and "not" not in body
                    test |= body == ["test"]
                    i = pair[bracket] + 1
                else:
                    break
            if i >= end:
                return
            public = in_public and in_trait
            if toks[i].text == "pub":
                public, i = True, i + 1
                if toks[i].text == "(":
                    public, i = False, pair[i] + 1
            while toks[i].text in ("unsafe", "async", "default", "extern") or (
                    toks[i].text == "const" and i + 1 < end
                    and toks[i + 1].text in ("fn", "unsafe", "async", "extern")):
                i += 1
                if toks[i].kind == "string":
                    i += 1
            word = toks[i].text
            name = toks[i + 1].text if i + 1 < end else ""
            body, stop = self._body(i, end)
            after = (pair.get(stop, stop) if body else stop) + 1
            item = Item(word, name, toks[i].line, public, documented, module, self.file, owner,
                        trait, (start, after), hidden)
            if test:
                self.skipped.append((start, after))
            elif word == "use":
                self.skipped.append((start, after))
                for names, path in self._use_tree(i + 1, stop, ()):
                    self.uses.append(Use(module, names, path, public, toks[i].line, self.file))
            elif word == "mod" and body:
                item.documented |= self._doc_of_body(stop + 1)
                self.items.append(item)
                inside = module + (name,)
                self.module_public[inside] = public
                self._parse(stop + 1, pair[stop], inside, "", "", False, True)
            elif word == "mod":
                self.items.append(item)
                self.module_public[module + (name,)] = public
            elif word == "fn":
                item.typed = self._parameters(i + 2, stop)
                self.items.append(item)
            elif word in ("struct", "union"):
                self.items.append(item)
                if body:
                    item.typed = self._fields(stop, item, "field", module)
            elif word == "enum" and body:
                self.items.append(item)
                self._fields(stop, item, "variant", module)
            elif word == "trait" and body:
                self.items.append(item)
                self._parse(stop + 1, pair[stop], module, name, "", True, public)
            elif word == "impl" and body:
                of, by = self._impl_head(i + 1, stop)
                self._parse(stop + 1, pair[stop], module, of, by, False, True)
            elif word in ("const", "static", "type"):
                if word == "static" and name == "mut":
                    item.name = toks[i + 2].text
                self.items.append(item)
            elif word == "macro_rules":
                item.kind, item.name = "macro", toks[i + 2].text
                item.public = any(t.text == "macro_export" for t in toks[start:i])
                self.items.append(item)
            elif word == "{":
                # extern "C" { … }
                self._parse(stop + 1, pair[stop], module, "", "", False, True)
            i = max(after, i + 1)

    def _body(self, i: int, end: int) -> tuple[bool, int]:
        """Where an item's braces open (True), or its semicolon stands (False)."""
        value = self.toks[i].text in ("const", "static", "type", "use")
        at = i
        while at < end:
            text = self.toks[at].text
            if self.toks[at].kind == "mark":
                if text == ";":
                    return False, at
                if text == "{":
                    if value:
                        at = self.pair[at]
                    else:
                        return True, at
                elif text in ("(", "["):
                    at = self.pair[at]
            at += 1
        return False, end

    def _use_tree(self, i: int, end: int, head: tuple[str, ...]) -> Iterator[tuple]:
        """Pairs (name in scope, path) of a `use`."""
        path, name = list(head), None
        while i < end:
            token = self.toks[i]
            if token.text == "{":
                close = self.pair[i]
                part = i + 1
                depth = 0
                for j in range(i + 1, close + 1):
                    text = self.toks[j].text
                    depth += (text == "{") - (text == "}" and j != close)
                    if j == close or (text == "," and depth == 0):
                        if part < j:
                            yield from self._use_tree(part, j, tuple(path))
                        part = j + 1
                return
            if token.text == "as":
                name = self.toks[i + 1].text
                break
            if token.kind == "id" or token.text == "*":
                path.append(token.text)
            i += 1
        if path and path[-1] == "self":
            path.pop()
        if path:
            yield name or path[-1], tuple(path)

    def _type_name(self, i: int, end: int) -> str:
        """The name of the outermost type between two tokens that is not a pointer of the library."""
        while i < end:
            token = self.toks[i]
            if token.kind == "id":
                if token.text in ("mut", "dyn", "impl", "const", "crate", "super", "self", "for"):
                    i += 1
                    continue
                if i + 1 < end and self.toks[i + 1].text == "::":
                    i += 2
                    continue
                if token.text in ("Rc", "Box", "Arc", "RefMut", "Ref", "Pin"):
                    i += 1
                    continue
                return token.text
            if token.text == "(":
                return ""
            i += 1
        return ""

    def _typed_list(self, i: int, end: int) -> Iterator[tuple[str, int, str]]:
        """Names and types of `a: T, b: U`, with the index of each name."""
        depth = 0
        angle = 0
        name_at, colon = None, None
        for j in range(i, end + 1):
            text = self.toks[j].text if j < end else ","
            kind = self.toks[j].kind if j < end else "mark"
            if kind == "mark":
                depth += (text in _OPEN) - (text in (")", "]", "}"))
                angle += (text == "<") - (text == ">")
                if text == ":" and depth == 0 and angle == 0 and colon is None:
                    colon = j
                elif text == "," and depth == 0 and (angle <= 0 or j >= end):
                    if name_at is not None:
                        kind_name = self._type_name(colon + 1, j) if colon is not None else ""
                        yield self.toks[name_at].text, name_at, kind_name
                    name_at, colon, angle = None, None, 0
            if kind == "id" and depth == 0 and colon is None and text not in ("pub", "mut", "ref"):
                name_at = j if name_at is None else name_at

    def _parameters(self, i: int, end: int) -> dict[str, str]:
        """Parameters of a function and the names of their types; generic bounds replace `T`."""
        bounds: dict[str, str] = {}
        while i < end and self.toks[i].text != "(":
            if self.toks[i].text == ":" and self.toks[i - 1].kind == "id":
                bounds[self.toks[i - 1].text] = self._type_name(i + 1, end)
            i += 1
        if i >= end:
            return {}
        close = self.pair[i]
        for j in range(close, end):
            if self.toks[j].text == ":" and self.toks[j - 1].kind == "id":
                bounds[self.toks[j - 1].text] = self._type_name(j + 1, end)
        return {name: bounds.get(kind, kind)
                for name, _, kind in self._typed_list(i + 1, close) if kind}

    def _fields(self, brace: int, parent: Item, kind: str, module: tuple) -> dict[str, str]:
        """Records the fields or variants in braces; returns names and types of fields."""
        toks, end = self.toks, self.pair[brace]
        typed = {}
        i = brace + 1
        while i < end:
            documented, hidden = False, False
            while i < end and (toks[i].kind == "doc" or toks[i].text == "#"):
                if toks[i].kind == "doc":
                    documented, i = True, i + 1
                else:
                    hidden |= any(t.text == "hidden" for t in toks[i:self.pair[i + 1]])
                    i = self.pair[i + 1] + 1
            if i >= end:
                break
            public = kind == "variant"
            if toks[i].text == "pub":
                public, i = True, i + 1
                if toks[i].text == "(":
                    public, i = False, self.pair[i] + 1
            name, line = toks[i].text, toks[i].line
            self.items.append(Item(kind, name, line, public, documented, module, self.file,
                                   parent.name, hidden=hidden))
            start, depth, angle = i, 0, 0
            while i < end:
                text = toks[i].text
                if toks[i].kind == "mark":
                    if text in _OPEN:
                        if text == "{" and kind == "variant":
                            variant = Item("variant", f"{parent.name}::{name}", line, public,
                                           documented, module, self.file)
                            self._variant_fields(i, variant, parent.name, module)
                        i = self.pair[i]
                    angle += (text == "<") - (text == ">")
                    if text == "," and angle <= 0:
                        break
                i += 1
            if kind == "field":
                typed[name] = self._type_name(start + 2, i)
            i += 1
        return typed

    def _variant_fields(self, brace: int, variant: Item, owner: str, module: tuple) -> None:
        before = len(self.items)
        self._fields(brace, variant, "field", module)
        for item in self.items[before:]:
            item.owner, item.public = owner, True

    def _impl_head(self, i: int, end: int) -> tuple[str, str]:
        """Names of the type and of the trait (or "") of an `impl`."""
        if self.toks[i].text == "<":
            depth = 0
            while i < end:
                depth += (self.toks[i].text == "<") - (self.toks[i].text == ">")
                i += 1
                if depth == 0:
                    break
        where = next((j for j in range(i, end) if self.toks[j].text == "where"), end)
        middle = next((j for j in range(i, where)
                       if self.toks[j].text == "for" and self.toks[j + 1].text != "<"), None)
        if middle is None:
            return self._type_name(i, where), ""
        return self._type_name(middle + 1, where), self._type_name(i, middle)

    def judged(self) -> list[int]:
        """Indices of the tokens outside tests and imports."""
        skip = set()
        for start, end in self.skipped:
            skip.update(range(start, end))
        return [i for i in range(len(self.toks)) if i not in skip]


class Crate:
    """The library of a crate (or its program, when it has no library), and how names resolve."""

    def __init__(self, root: pathlib.Path, folder: str):
        self.folder = folder
        manifest = tomllib.loads((root / folder / "Cargo.toml").read_text(encoding="utf-8"))
        self.name = manifest["package"]["name"]
        self.sources: list[Source] = []
        base = root / folder / "src"
        self.root_file = next((f for f in ("lib.rs", "main.rs") if (base / f).exists()), "")
        for path in sorted(base.rglob("*.rs")):
            inside = path.relative_to(base)
            # Programs beside a library are crates of their own, on which no file depends.
            if inside.parts[0] == "bin" or (inside.name == "main.rs" != self.root_file):
                continue
            parts = inside.with_suffix("").parts
            if parts[-1] in ("mod", self.root_file[:-3]):
                parts = parts[:-1]
            text = path.read_text(encoding="utf-8")
            self.sources.append(Source(str(path.relative_to(root)), parts, text))
        self._drop_tests()
        self.modules = {s.module: s for s in self.sources}
        self.defined: dict[tuple, Item] = {}
        self.imports: dict[tuple, Use] = {}
        self.globs: dict[tuple, list[Use]] = {}
        self.variants: set[tuple[str, str]] = set()
        self.public_modules: dict[tuple, bool] = {(): True}
        for source in self.sources:
            self.public_modules.update(source.module_public)
            for item in source.items:
                if item.kind == "variant":
                    self.variants.add((item.owner, item.name))
                elif not item.owner and item.kind != "field":
                    self.defined.setdefault((item.module, item.name), item)
            for use in source.uses:
                if use.name == "*":
                    self.globs.setdefault(use.module, []).append(use)
                else:
                    self.imports[(use.module, use.name)] = use

    def _drop_tests(self) -> None:
        """Files that only a test module includes (`#[cfg(test)] mod tests;`) are left out."""
        dropped = set()
        for source in self.sources:
            for start, end in source.skipped:
                texts = [t.text for t in source.toks[start:end]]
                if "mod" in texts and "cfg" in texts:
                    dropped.add(source.module + (texts[texts.index("mod") + 1],))
        self.sources = [s for s in self.sources
                        if not any(s.module[:len(d)] == d for d in dropped)]

    def is_module(self, path: tuple) -> bool:
        return path in self.modules or path in self.public_modules

    def resolve(self, module: tuple, path: tuple, seen: frozenset = frozenset(),
                globs: bool = True) -> tuple | None:
        """A path as seen in a module: (module, name) of the item, the rest of the path; or
        (module, "") of a module. None for what this crate does not define."""
        # A name that leads to itself, as in `use x::x` with a crate x, is another crate's.
        if (module, path) in seen or not path or len(seen) > 30:
            return None
        seen |= {(module, path)}
        at, rest = module, path
        if rest[0] == "crate":
            at, rest = (), rest[1:]
        elif rest[0] == "self":
            rest = rest[1:]
        while rest and rest[0] == "super":
            at, rest = at[:-1], rest[1:]
        if not rest:
            return (at, ""), ()
        while rest:
            name = rest[0]
            if (at, name) in self.defined and self.defined[(at, name)].kind != "mod":
                return (at, name), rest[1:]
            if self.is_module(at + (name,)):
                at, rest = at + (name,), rest[1:]
                continue
            use = self.imports.get((at, name))
            if use:
                return self.resolve(use.module, use.path + rest[1:], seen)
            for use in self.globs.get(at, []) if globs else []:
                # What a glob opens is itself named without one.
                opened = self.resolve(use.module, use.path[:-1], seen, False)
                if opened and opened[0][1]:
                    item = self.defined[opened[0]]
                    if item.kind == "enum" and (item.name, name) in self.variants:
                        return opened[0], rest
                elif opened:
                    found = self.resolve(opened[0][0], rest, seen)
                    if found:
                        return found
            return None
        return (at, ""), ()

    def reachable(self) -> set[tuple]:
        """(module, name) of the items that other crates can name."""
        result: set[tuple] = set()
        visited: set[tuple] = set()
        stack = [()]
        while stack:
            module = stack.pop()
            if module in visited:
                continue
            visited.add(module)
            for source in self.sources:
                for item in source.items:
                    if item.module == module and item.public and not item.owner:
                        if item.kind == "macro":
                            continue
                        result.add((module, item.name))
                        if item.kind == "mod":
                            stack.append(module + (item.name,))
                for use in source.uses:
                    if use.module != module or not use.public:
                        continue
                    path = use.path[:-1] if use.name == "*" else use.path
                    found = self.resolve(module, path)
                    if found and found[0][1]:
                        result.add(found[0])
                    elif found:
                        stack.append(found[0][0])
        return result


def crates(house: House, exempt: list[str]) -> list[Crate]:
    """The crates of a house outside the exempt folders, read once."""
    read = house.cache.setdefault("crates", {})
    folders = [f for f in crate_folders(house.files()) if not below(f, exempt)]
    for folder in folders:
        if folder not in read:
            read[folder] = Crate(house.root, folder)
    return [read[folder] for folder in sorted(folders)]


def crate_folders(files: list[str]) -> list[str]:
    """Folders of the crates among the files, without the workspace itself."""
    return [str(pathlib.PurePosixPath(f).parent) for f in files
            if f.endswith("/Cargo.toml")]
