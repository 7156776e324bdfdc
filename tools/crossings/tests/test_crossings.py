"""Each rule of crossings.py finds the place of design.sv that breaks it, and none of those that keep it."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import crossings  # noqa: E402

RULES = {
    "clocks": {"a": {"ports": ["clk_a_i"], "period_ns": 10.0}, "b": {"ports": ["clk_b_i"], "period_ns": 8.0}},
    "ports": {"reset": "pad_ni", "a": ["a_*"], "b": ["b_*"]},
    "reset": {"module": "a_reset", "register": "rst_q"},
    "stages": {"a_sync": ["meta_q", "out_q"], "a_reset": ["meta_q"]},
    "crossing": [
        {"module": "sound", "from": "held_q", "to": "b_q", "settled": True},
        {"module": "a_sync", "to": "meta_q", "bits": 1},
    ],
}
BROKEN = [
    "first_q reaches u_logic.meta_q through logic, with second_q",
    "second_q reaches u_logic.meta_q through logic, with first_q",
    "wide_q reaches u_wide.meta_q, 2 bits without a Gray code",
    "first_q, clock a, reaches bare_q, clock b, and the list has no such crossing",
    "memory_q, clock a, reaches read_q, clock b, and the list has no such crossing",
    "port_q, clock b, hangs on port a_i, clock a",
    "level_q hangs on the level of clock a",
    "pad_q hangs on the reset pad as on a signal",
    "by_pad_q is cleared by the pad; only a_reset may be",
    "by_other_q, clock b, is cleared by u_reset_a.rst_q, clock a",
    "by_logic_q is cleared by logic_n, which is no output of a_reset",
    "stray_q is clocked by none of the list",
    "made_q is clocked by none of the list",
    "by_pad_q, clock b, reaches a_other_o, clock a, and the list has no such crossing",
    *[f"u_{name}.out_q settles what may be metastable, and lacks the attribute ASYNC_REG" for name in ("logic", "wide", "sound.u_level")],
]


class Crossings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        design = (HERE / "design.sv").relative_to(crossings.ROOT)
        cls.judge = crossings.check(RULES, "broken", [design], {})

    def test_each_broken_rule_is_found_and_nothing_else(self):
        self.assertEqual(sorted(self.judge.findings), sorted(BROKEN))

    def test_constraints_name_both_ends_and_the_shorter_period(self):
        text = crossings.constraints(RULES, self.judge)
        self.assertIn("create_clock -name b -period 8.0 [get_ports {clk_b_i}]", text)
        self.assertIn("set_max_delay 8.0 -from [get_cells {u_sound*held_q*}] -to [get_cells {u_sound*b_q*}]", text)
        self.assertIn("set_max_delay 8.0 -from [get_cells {u_sound*level_q*}] -to [get_cells {u_sound*u_level*meta_q*}]", text)
        self.assertIn("set_false_path -from [get_ports pad_ni]", text)


if __name__ == "__main__":
    unittest.main()
