"""Each rule of claims.py finds its defect, in a small repository made for the purpose."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))

import claims  # noqa: E402


DECIDED = "**done** | `some_test_passes_here`"


def repository(state: str = DECIDED, emp: str = DECIDED, more: str = "") -> dict[str, str]:
    """Two pages with all numbers; the states of the first requirements of both tables are given."""
    rest = "".join(f"| M-{n} | text | **absent** | |\n" for n in range(2, claims.M_LAST + 1))
    of_emp = "".join(f"| E-{n} | text | **absent** | |\n" for n in range(4, claims.E_LAST + 1))
    return {
        claims.REQUIREMENTS: f"## EMP\n\n| E-3 | text | {emp} |\n{of_emp}\n"
                             f"## Protocol and lookup\n\n| M-1 | text | {state} |\n{rest}\n"
                             "## Published\n\n| E-1, E-2 | a machine |\n| MN-3 | 8 us |\n",
        claims.INVARIANTS: "| INV-1 | a | F | `src/lib.rs` | - | - |\n| INV-2 | b | S | - | - | - |\n",
        "crate/src/lib.rs": "// INV-2, M-1 and E-2.\nfn some_test_passes_here() {}\n" + more,
    }


class Claims(unittest.TestCase):
    def finds(self, files: dict[str, str], *words: str) -> None:
        wrong = claims.find(files)
        self.assertEqual(len(wrong), 1, wrong)
        for word in words:
            self.assertIn(word, wrong[0])

    def test_whole_pages_pass(self):
        self.assertEqual(claims.find(repository()), [])

    def test_a_test_that_does_not_exist_is_found(self):
        self.finds(repository("**done** | `some_test_that_is_gone`"), "some_test_that_is_gone")

    def test_a_path_that_does_not_exist_is_found(self):
        self.finds(repository("**done** | `src/gone.rs`"), "src/gone.rs")

    def test_part_of_a_name_is_no_path(self):
        self.finds(repository("**done** | `c/lib.rs`"), "c/lib.rs")

    def test_a_requirement_that_is_left_out_is_found(self):
        files = repository()
        files[claims.REQUIREMENTS] = files[claims.REQUIREMENTS].replace("| M-7 |", "| M-8 |")
        self.finds(files, "M-1 to M-68")
        files = repository()
        files[claims.REQUIREMENTS] = files[claims.REQUIREMENTS].replace("| E-9 |", "| E-8 |")
        self.finds(files, "E-9")

    def test_a_state_that_is_unknown_or_says_nothing_is_found(self):
        self.finds(repository("fine | `some_test_passes_here`"), "no known state")
        self.finds(repository("**partial** | `some_test_passes_here`"), "nothing says how")
        self.finds(repository("**done** | by nothing"), "nothing decides M-1")
        self.finds(repository(emp="**done** | by nothing"), "nothing decides E-3")

    def test_an_invariant_that_is_left_out_is_found(self):
        files = repository()
        files[claims.INVARIANTS] = files[claims.INVARIANTS].replace("INV-1 ", "INV-3 ")
        self.assertTrue(any("not 1 to 2" in text for text in claims.find(files)))

    def test_a_row_that_leaves_out_a_cell_is_found(self):
        files = repository()
        files[claims.INVARIANTS] = files[claims.INVARIANTS].replace("| S | - ", "| S ")
        self.finds(files, "INV-2 has 5 cells")

    def test_a_number_that_code_cites_and_no_page_has_is_found(self):
        self.finds(repository(more="// INV-9\n"), "crate/src/lib.rs", "INV-9")
        self.finds(repository(more="// E-1, E-77\n"), "E-77")
        self.finds(repository(more="// INV-1 to 3\n"), "INV-3")


if __name__ == "__main__":
    unittest.main()
