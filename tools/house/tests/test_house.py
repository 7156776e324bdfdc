"""Each script of the house finds what it is for, in a small repository made for the purpose."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import common  # noqa: E402
import cycles  # noqa: E402
import dependencies  # noqa: E402
import documented  # noqa: E402
import fold  # noqa: E402
import links  # noqa: E402
import orphans  # noqa: E402
import personalities  # noqa: E402
import sentences  # noqa: E402

CONFIG = {
    "personalities": {"tables": ["src/table.rs"], "exempt": ["docs"],
                      "own": {"mini": ["firmware/mini"], "vmmc": ["firmware/vmmc"]}},
    "cycles": {"exempt": [], "common_methods": ["push", "len"]},
    "documented": {"exempt": [], "target_percent": {}},
    "sentences": {"columns": 100, "openings": ["Of"], "exempt": [],
                  "words": ["who", "nobody", "one that", "that of"],
                  "persons": {"docs/people.md": ["a reader who"]}},
    "dependencies": {"command": "tool", "benches": ["benches"], "forbidden_crates": ["proptest"],
                     "forbidden_features": ["check"],
                     "layers": {"top": ["top", "low"], "low": ["low"], "benches": ["top", "low"]}},
    "orphans": {"exempt": ["src/planted"]},
    "links": {"documents": ["README.md", "docs"], "made_later": []},
}


class Repository(unittest.TestCase):
    """A folder without git, with the files that a test writes."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def house(self, files: dict[str, str]) -> common.House:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return common.House(self.root, CONFIG)

    def crate(self, files: dict[str, str]) -> common.House:
        manifest = '[package]\nname = "a"\n'
        return self.house({"a/Cargo.toml": manifest,
                           **{f"a/src/{name}": text for name, text in files.items()}})

    def places(self, findings: list[common.Finding]) -> list[tuple[str, int]]:
        return [(f.file, f.line) for f in findings]


class Personalities(Repository):
    def test_identifiers_strings_and_paths_are_found_comments_and_longer_words_are_not(self):
        house = self.house({
            "src/a.rs": '// mini\nlet minimum = 1;\nlet x = "mini-pair";\nstruct VmmcLayout;\n',
            "src/mini.rs": "fn f() {}\n",
            "src/b.toml": "# vmmc\npersonality = 'vmmc'\n",
            "src/c.rs": 'let title = "the miNI thesis";\n'})
        self.assertEqual(self.places(personalities.find(house)), [
            ("src/a.rs", 3), ("src/a.rs", 4), ("src/b.toml", 2), ("src/mini.rs", 1)])

    def test_own_folders_tables_documents_and_tests_are_free(self):
        house = self.house({
            "firmware/mini/src/lib.rs": "struct Mini;\n", "src/table.rs": "const MINI: u32 = 0;\n",
            "docs/mini.md": "mini\n", "src/tests/mini.rs": "fn mini() {}\n"})
        self.assertEqual(personalities.find(house), [])

    def test_a_module_of_tests_is_free_and_what_follows_it_counts(self):
        house = self.house({"src/a.rs": "#[cfg(test)]\nmod tests {\n  const X: &str = \"mini\";\n}\n"
                                        "const Y: &str = \"mini\";\n"})
        self.assertEqual(self.places(personalities.find(house)), [("src/a.rs", 5)])

    def test_the_papers_systems_are_not_personalities(self):
        house = self.house({"src/a.rs": "const X: &str = \"miNI and VMMC of the papers\";\n"
                                        "const Y: &str = \"vmmc\";\n"})
        self.assertEqual(self.places(personalities.find(house)), [("src/a.rs", 2)])

    def test_a_personality_may_not_name_another(self):
        house = self.house({"firmware/vmmc/src/lib.rs": "use nic_mini::Cache;\n"})
        self.assertEqual(self.places(personalities.find(house)),
                         [("firmware/vmmc/src/lib.rs", 1)])


class Orphans(Repository):
    def test_a_file_that_no_declaration_names_is_found(self):
        house = self.house({
            "src/lib.rs": "pub mod a;\nmod b;\n#[path = \"c.rs\"]\nmod other;\n",
            "src/a.rs": "mod inner;\n", "src/a/inner.rs": "", "src/b/mod.rs": "mod deep;\n",
            "src/b/deep.rs": "", "src/c.rs": "", "src/forgotten.rs": "", "src/bin/tool.rs": "",
            "tests/t.rs": "mod common;\n", "tests/common/mod.rs": "", "src/planted/p.rs": ""})
        self.assertEqual(self.places(orphans.find(house)), [("src/forgotten.rs", 1)])


class Cycles(Repository):
    def cycle(self, files: dict[str, str]) -> list[str]:
        found = cycles.find(self.crate(files))
        return [pathlib.PurePosixPath(f.file).name for f in found]

    def test_imports_both_ways_are_a_cycle(self):
        self.assertEqual(self.cycle({
            "lib.rs": "mod x;\nmod y;\npub use x::X;\n",
            "x.rs": "use crate::y::Y;\npub struct X(Y);\n",
            "y.rs": "pub struct Y;\nfn f(_: &crate::X) {}\n"}), ["x.rs", "y.rs"])

    def test_a_method_of_the_same_type_in_another_file_closes_a_cycle(self):
        self.assertEqual(self.cycle({
            "lib.rs": "mod x;\nmod y;\n",
            "x.rs": "pub struct X;\nimpl X { pub fn a(&self) { self.len() } }\n",
            "y.rs": "use crate::x::X;\nimpl X { pub fn len(&self) {} }\n"}), ["x.rs", "y.rs"])

    def test_a_method_is_found_by_the_type_of_a_field(self):
        self.assertEqual(self.cycle({
            "lib.rs": "mod x;\nmod y;\n",
            "x.rs": "use crate::y::Y;\npub struct X { y: Y }\n"
                    "impl X { fn a(&self) { self.y.push(1) } }\n",
            "y.rs": "pub struct Y;\nimpl Y { pub fn push(&self, _: u8) { crate::x::go() } }\n"
                    "pub fn go() {}\n"}), [])
        self.assertEqual(self.cycle({
            "x.rs": "use crate::y::Y;\npub struct X { y: Y }\npub fn go() {}\n"
                    "impl X { fn a(&self) { self.y.push(1) } }\n",
            "y.rs": "pub struct Y;\nimpl Y { pub fn push(&self, _: u8) { crate::x::go() } }\n"}),
            ["x.rs", "y.rs"])

    def test_a_unique_name_is_found_without_a_type_but_not_one_of_the_standard_library(self):
        files = {"lib.rs": "mod x;\nmod y;\n",
                 "x.rs": "pub struct X;\nimpl X { pub fn grow(&self) {} pub fn len(&self) {} }\n",
                 "y.rs": "pub struct Y;\nimpl Y { pub fn shrink(&self) { other().grow() } }\n"}
        self.assertEqual(self.cycle(files), [])
        files["x.rs"] += "fn f() { make().shrink() }\n"
        self.assertEqual(self.cycle(files), ["x.rs", "y.rs"])
        files["y.rs"] = files["y.rs"].replace("grow", "len")
        self.assertEqual(self.cycle(files), [])

    def test_a_crate_whose_item_has_its_name_ends_the_search(self):
        self.assertEqual(self.cycle({
            "lib.rs": "mod x;\nmod y;\n", "x.rs": "use y::y;\nfn f() { y::g(); }\n",
            "y.rs": "pub fn g() {}\n"}), [])

    def test_tests_comments_and_exports_are_no_use(self):
        self.assertEqual(self.cycle({
            "lib.rs": "mod x;\npub use x::X;\npub struct Root;\n",
            "x.rs": "use crate::Root;\npub struct X(Root);\n"}), [])
        self.assertEqual(self.cycle({
            "lib.rs": "mod x;\nmod y;\n",
            "x.rs": "/// See [`crate::y::Y`].\npub struct X;\n"
                    "#[cfg(test)]\nmod tests { use crate::y::Y; }\n",
            "y.rs": "use crate::x::X;\npub struct Y(X);\n"}), [])


class Documented(Repository):
    def test_items_that_others_can_name_need_a_comment(self):
        house = self.crate({
            "lib.rs": "//! The crate.\nmod inner;\npub mod open;\npub use inner::Shown;\n",
            "inner.rs": "pub struct Shown { pub field: u8, own: u8 }\npub struct Kept;\n"
                        "impl Shown { pub fn a(&self) {} fn b(&self) {} }\n",
            "open.rs": "/// Said.\npub fn f() {}\npub enum E {\n    /// Said.\n    A,\n    B,\n}\n"})
        found = {f.message for f in documented.find(house)}
        self.assertEqual(found, {f"no doc comment: {what}" for what in (
            "struct Shown", "field Shown::field", "fn Shown::a", "mod open", "enum E",
            "variant E::B")})
        self.assertEqual(documented.table(house)["a"], (3, 9))


class Sentences(Repository):
    def judge(self, files: dict[str, str]) -> list[tuple[str, int]]:
        return self.places(sentences.find(self.house(files)))

    def test_openings_words_and_long_lines_are_found_in_documents(self):
        found = self.judge({"docs/a.md": (
            "Of three, one.\n\nIt ends. Of these, none.\n\n| Of a cell | the core who |\n\n"
            "nobody asks, one\nthat waits\n" + "a " * 60 + "\n")})
        self.assertEqual(sorted(line for _, line in found), [1, 3, 5, 5, 7, 7, 9])

    def test_code_tables_and_links_may_be_wide_and_code_may_say_who(self):
        wide = "x" * 120
        self.assertEqual(self.judge({"docs/a.md": (
            f"```\n{wide} who\n```\n| {wide} |\n[a](http://{wide})\n`who` asks\n")}), [])

    def test_persons_are_marked_in_the_table(self):
        self.assertEqual(self.judge({"docs/people.md": "a reader who asks\n",
                                     "docs/b.md": "a reader who asks\n"}), [("docs/b.md", 1)])

    def test_doc_comments_and_headers_are_read_plain_comments_are_not(self):
        self.assertEqual(self.judge({
            "src/a.rs": "//! Of all.\n// Of none.\n/// A word, and that of\n/// another.\nfn f() {}\n",
            "rtl/a.sv": "// Says who.\nmodule a; // who\n"}),
            [("rtl/a.sv", 1), ("src/a.rs", 1), ("src/a.rs", 3)])


class Fold(unittest.TestCase):
    def test_wide_paragraphs_are_folded_and_lose_no_word(self):
        folded = fold.fold(["aaa bbb ddd 1. eee", "fff", "", "- aaa bbb ccc", "  ddd"], 13)
        # A number with a dot at the beginning of a line would begin a list.
        self.assertEqual(folded, ["aaa bbb", "ddd 1. eee", "fff", "", "- aaa bbb ccc", "  ddd"])
        self.assertEqual(fold.fold(["- aaa bbb ccc", "  ddd"], 12), ["- aaa bbb", "  ccc ddd"])

    def test_links_and_code_spans_stay_on_one_line(self):
        self.assertEqual(fold.fold(["aaa ![b b b](c.svg), `d d d d d` e"], 8),
                         ["aaa", "![b b b](c.svg),", "`d d d d d`", "e"])

    def test_tables_code_and_narrow_paragraphs_stay(self):
        lines = ["| a b c d e |", "```", "a b c d e f g", "```", "a b", "c", "", "    a b c d e f"]
        self.assertEqual(fold.fold(lines, 8), lines)

    def test_doc_comments_are_folded_in_their_place(self):
        text = "    /// aaa bbb ccc\n    fn f() {} // aaa bbb ccc ddd\n"
        self.assertEqual(fold.fold_comments(text, 16),
                         "    /// aaa bbb\n    /// ccc\n    fn f() {} // aaa bbb ccc ddd\n")


class Dependencies(Repository):
    def manifest(self, name: str, needs: str) -> str:
        return f'[package]\nname = "{name}"\n[dependencies]\n{needs}\n'

    def files(self, **needs: str) -> dict[str, str]:
        return {"Cargo.toml": '[workspace.dependencies]\nlow = { path = "low" }\n',
                "top/Cargo.toml": self.manifest("tool", needs.get("top", "")),
                "low/Cargo.toml": self.manifest("low", needs.get("low", "")),
                "benches/b/Cargo.toml": self.manifest("b", needs.get("bench", ""))}

    def messages(self, **needs: str) -> list[str]:
        return [f.message for f in dependencies.find(self.house(self.files(**needs)))]

    def test_the_command_without_tests_and_benches_is_clean(self):
        self.assertEqual(self.messages(top="low.workspace = true", bench='proptest = "1"'), [])

    def test_a_test_library_is_found_through_another_crate(self):
        self.assertEqual(self.messages(top="low.workspace = true", low='proptest = "1"'),
                         ["proptest is for tests, and the command `tool` contains it"])

    def test_a_feature_for_tests_is_found(self):
        self.assertEqual(
            self.messages(top='low = { workspace = true, features = ["check"] }'),
            ["feature check of low is for tests, and the command contains it"])

    def test_a_bench_in_the_command_and_a_wrong_way_are_found(self):
        self.assertEqual(self.messages(top='b = { path = "../benches/b" }'),
                         ["b is a bench, and the command `tool` contains it",
                          "top may not depend on benches/b"])
        self.assertEqual(self.messages(low='tool = { path = "../top" }'),
                         ["low may not depend on top"])


class Links(Repository):
    def test_missing_files_and_headings_are_found(self):
        house = self.house({
            "README.md": "[a](docs/a.md#two-words) [b](docs/none.md)\n```\n[c](none)\n```\n",
            "docs/a.md": "# Two `words`\n[up](../README.md) [x](#nowhere) ![p\np](p.svg)\n"})
        self.assertEqual([f.message for f in links.find(house)], [
            "no such file: docs/none.md", "no such heading: #nowhere", "no such file: p.svg"])

    def test_paths_in_code_spans_and_pages_outside_the_contents_are_found(self):
        house = self.house({
            "src/a.rs": "", "docs/SUMMARY.md": "[a](a.md)\n", "docs/b.md": "x\n",
            "docs/a.md": "`src/a.rs` `src/b.rs` `src/` `a/b` `driver/b.rs`\n"})
        self.assertEqual([f.message for f in links.find(house)], [
            "no such file: src/b.rs", "b.md is not in the contents of the site"])


class Ceilings(unittest.TestCase):
    def test_a_recorded_file_may_not_get_worse(self):
        self.assertEqual(list(common.exceeded({"a": 2}, {"a": 1, "b": 5})), ["a"])

    def test_a_renamed_file_uses_what_the_old_one_left(self):
        self.assertEqual(common.exceeded({"new": 3}, {"old": 3}), {})
        self.assertEqual(list(common.exceeded({"new": 4}, {"old": 3})), ["new"])
        self.assertEqual(common.lowered({"new": 3}, {"old": 3}), {"new": 3})

    def test_an_update_lowers_and_never_raises(self):
        self.assertEqual(common.lowered({"a": 1, "b": 9}, {"a": 3, "b": 2}), {"a": 1, "b": 2})
        self.assertEqual(common.lowered({"a": 3, "new": 4}, {"a": 3}), {"a": 3})


class Commands(Repository):
    """The scripts as `make lint` calls them."""

    def run_script(self, script: str, *flags: str) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, str(HERE.parent / script), "--root", str(self.root),
                               *flags], capture_output=True, text=True)

    def repository(self) -> None:
        config = (HERE.parent / "house.toml").read_text(encoding="utf-8")
        self.house({"tools/house/house.toml": config, "Cargo.toml": "[workspace]\n",
                    "docs/a.md": "Nobody knows.\n"})

    def test_a_finding_ends_with_status_1_and_its_place(self):
        self.repository()
        ended = self.run_script("sentences.py")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("docs/a.md:1:", ended.stdout)

    def test_a_recorded_finding_passes_until_there_is_one_more(self):
        self.repository()
        self.assertEqual(self.run_script("house.py", "--update").returncode, 0)
        self.assertEqual(self.run_script("house.py").returncode, 0)
        self.house({"docs/a.md": "Nobody knows who.\n"})
        ended = self.run_script("house.py", "--json")
        self.assertEqual(ended.returncode, 1)
        self.assertEqual(json.loads(ended.stdout)["sentences"]["findings"], 2)
        self.assertEqual(self.run_script("sentences.py", "--limit", "2").returncode, 0)

    def test_every_script_explains_itself(self):
        for script in sorted(p.name for p in HERE.parent.glob("*.py")):
            if script in ("common.py", "rust.py"):
                continue
            ended = self.run_script(script, "--help")
            self.assertEqual(ended.returncode, 0, script)
            self.assertIn("usage", ended.stdout)


if __name__ == "__main__":
    unittest.main()
