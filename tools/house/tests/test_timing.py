"""Diagrams of docs/timing.md: how they are drawn, and that another one is found."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "docs"))
import timing


class Recorded(timing.Waves):
    """Signals that are given, with a clock that rises every 10 ps."""

    def __init__(self, **signals: list[int]):
        columns = len(next(iter(signals.values())))
        self.known = {"clock": [(time, 1) for time in range(10, 10 * columns + 10, 10)]}
        for name, values in signals.items():
            # A value changes right behind the edge before the one that samples it.
            self.known[name] = [(10 * n + 1, value) for n, value in enumerate(values)]


def frame(bytes_: list[int], gap: int = 6) -> Recorded:
    silence = [0] * gap
    return Recorded(enable=silence + [1] * len(bytes_) + silence, data=silence + bytes_ + silence)


def lane(waves: Recorded, line: timing.Line, first: int, columns: int) -> str:
    edges = waves.edges("clock")
    return "".join(line(waves, edges, n) for n in range(first, first + columns))


class Lanes(unittest.TestCase):
    def test_a_line_shows_what_each_edge_samples(self):
        waves = Recorded(req=[0, 1, 1, 0, 2])
        self.assertEqual(lane(waves, timing.level("req"), 0, 5), "_--__")
        self.assertEqual(lane(waves, timing.level("req", 1), 0, 5), "____-")

    def test_a_frame_on_gmii_has_preamble_delimiter_data_and_fcs(self):
        line = timing.gmii("enable", "data")
        good = [0x55] * 7 + [0xD5] + [1, 2, 3, 4, 5, 6]
        self.assertEqual(lane(frame(good), line, 5, 16), ".PPPPPPPSDDFFFF.")
        bad = [0x55] * 6 + [0x54, 0xD5] + [1, 2, 3, 4, 5, 6]
        self.assertEqual(lane(frame(bad), line, 5, 16), ".PPPPPP?SDDFFFF.")

    def test_a_diagram_begins_before_its_edge(self):
        waves = Recorded(req=[0, 0, 1, 0, 1, 1, 0, 0])
        diagram = timing.Diagram("x", 0, 0, "clock", "req", 1, 1, 2, 5,
                                 {"req": timing.level("req")})
        self.assertEqual(diagram.draw(waves), "clock  0\nreq    -_--_\n")


class Page(unittest.TestCase):
    def test_a_diagram_that_the_page_shows_otherwise_is_named(self):
        page = "text\n\n```\nclock  0\nreq    _-\n```\n"
        self.assertEqual(timing.absent({"a": "clock  0\nreq    _-\n"}, page), [])
        self.assertEqual(timing.absent({"a": "clock  0\nreq    --\n"}, page), ["a"])

    def test_the_page_has_a_block_for_each_diagram_and_two_of_the_debug_port(self):
        page = (timing.ROOT / timing.PAGE).read_text(encoding="utf-8")
        self.assertEqual(page.count("```\nclock"), len(timing.DIAGRAMS) + 2)


if __name__ == "__main__":
    unittest.main()
