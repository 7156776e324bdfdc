//! Evaluates a model at clock edges without finding out what rose.
//!
//! Generated code compares each clock with its last level, collects triggers, runs the logic of
//! those that rose, and looks again whether that triggered more; and it needs a second evaluation
//! to see a clock fall. The caller of `tick` knows all that. Where the logic waits for nothing but
//! rising edges of named clocks, the logic can be run directly: a tenth of the time of the whole
//! NIC. For this the function that runs the logic is written a second time, with the clocks that
//! rise in place of the triggers. What the generated code looks like is checked first; if it
//! differs, models are evaluated as usual.
//!
//! Registers may be cleared by the falling edge of a reset besides. As long as all such resets are
//! high, and were so at the last evaluation, none falls: the pads among them are inputs, the others
//! fall only with these. In all other clocks the model is evaluated by its pins, and once before
//! the clocks rise: what a pad clears is clear at the edge that follows.

use crate::generated::{function_bodies, mentions};

/// Where the triggers of a model are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Direct {
    /// What `eval_nba` does, with `clock_N` for each trigger of clock N.
    pub nba: String,
    /// C++ names of the resets: `name` has the level, `__Vtrigrprev__TOP__name` the level before.
    pub resets: Vec<String>,
}

/// Functions that may name a clock: they set up, compare or check it.
const MAY_NAME_CLOCKS: [&str; 6] = [
    "___eval_triggers__act",
    "___eval_triggers__stl",
    "___eval_initial",
    "___eval_debug_assertions",
    "___ctor_var_reset",
    "___dump_triggers",
];

/// What the evaluation may call: the regions that are run directly, and what decides to run them.
const MAY_BE_CALLED: [&str; 6] =
    ["eval_triggers__ico", "eval_triggers__act", "eval_ico", "eval_act", "eval_nba", "dump_triggers__"];

/// Looks for what direct evaluation needs; `header` is the header of the root class.
pub(crate) fn find(sources: &[String], header: &str, prefix: &str, clocks: &[String]) -> Option<Direct> {
    let root = format!("{prefix}___024root___");
    let body = |name: &str| {
        let head = format!("void {root}{name}({prefix}___024root* vlSelf)");
        sources
            .iter()
            .find_map(|source| function_bodies(source).find(|(at, _)| at.ends_with(&head)).map(|(_, body)| body))
    };
    // Names in messages for debugging are no calls.
    let calls = |body: &str| -> Vec<String> {
        let names = body.split(root.as_str()).skip(1).filter_map(|rest| rest.split_once("(vlSelf)"));
        let is_name = |name: &str| name.chars().all(|c| c == '_' || c.is_alphanumeric());
        names.map(|(name, _)| name.to_owned()).filter(|name| is_name(name)).collect()
    };
    // Nothing else is evaluated, no clock is made inside, and there is one pass of input logic.
    let known = |call: &String| MAY_BE_CALLED.iter().any(|name| call.starts_with(name));
    if !calls(body("eval")?).iter().all(known) || !calls(body("eval_act")?).is_empty() {
        return None;
    }
    let ico = body("eval_ico")?;
    if !ico.contains("__VicoTriggered.at(0U)") || !header.contains("VlTriggerVec<1> __VicoTriggered;") {
        return None;
    }
    // Clocks are edges to all logic, and never levels.
    let levels = sources.iter().flat_map(|source| function_bodies(source)).any(|(head, body)| {
        head.contains("vlSelf)")
            && !MAY_NAME_CLOCKS.iter().any(|name| head.contains(name))
            && clocks.iter().any(|clock| mentions(body, clock))
    });
    if levels {
        return None;
    }
    let triggers = nba_triggers(sources)?;
    if !header.contains(&format!("VlTriggerVec<{}> __VnbaTriggered;", triggers.len())) {
        return None;
    }
    let mut triggers_of_clock = vec![Vec::new(); clocks.len()];
    let mut nets = Vec::new();
    for (index, event) in triggers.iter().enumerate() {
        let edges: Vec<&str> = event.strip_prefix("@(")?.strip_suffix(')')?.split(" or ").collect();
        let rising: Vec<&str> = edges.iter().filter_map(|edge| edge.strip_prefix("posedge ")).collect();
        let [clock] = rising[..] else { return None };
        triggers_of_clock[clocks.iter().position(|known| known == clock)?].push(index);
        nets.extend(edges.iter().filter_map(|edge| edge.strip_prefix("negedge ")));
    }
    nets.sort_unstable();
    nets.dedup();
    let resets = levels_of_before(body("eval_triggers__act")?, clocks);
    let nba = with_clocks(body("eval_nba")?, &triggers_of_clock);
    (resets.len() == nets.len() && !nba.contains("Triggered")).then_some(Direct { nba, resets })
}

/// A function body with the clocks in place of their triggers: each has one of its own, and one
/// with each reset that clears registers.
fn with_clocks(body: &str, triggers_of_clock: &[Vec<usize>]) -> String {
    let mut text = body.to_owned();
    for (clock, triggers) in triggers_of_clock.iter().enumerate() {
        for trigger in triggers {
            let index = if *trigger < 10 { trigger.to_string() } else { format!("{trigger:#x}") };
            text = text.replace(&format!("vlSelf->__VnbaTriggered.at({index}U)"), &format!("clock_{clock}"));
        }
    }
    text
}

/// The signals but clocks whose level is kept for the next comparison.
fn levels_of_before(eval_triggers: &str, clocks: &[String]) -> Vec<String> {
    let names = eval_triggers.split("vlSelf->__Vtrigrprev__TOP__").skip(1);
    let name = |rest: &str| rest.split(|c: char| c != '_' && !c.is_alphanumeric()).next().unwrap_or("").to_owned();
    let mut found: Vec<String> = names.map(name).filter(|name| !clocks.contains(name)).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The events of the `nba` region in the order of their indices, from the messages that name them.
fn nba_triggers(sources: &[String]) -> Option<Vec<&str>> {
    let mut found = Vec::new();
    for piece in sources.iter().flat_map(|source| source.split("'nba' region trigger index ").skip(1)) {
        let (index, rest) = piece.split_once(" is active: ")?;
        found.push((index.parse::<usize>().ok()?, rest.split("\\n").next()?));
    }
    found.sort_unstable();
    found.iter().enumerate().all(|(place, (index, _))| place == *index).then_some(())?;
    (!found.is_empty()).then(|| found.into_iter().map(|(_, event)| event).collect())
}

/// The name of the function that runs the logic of the clocks that rise.
const RISING: &str = "___eval_nba_rising";
/// With more clocks there are too many sets of them.
const CLOCKS_WITH_COPIES_MAX: usize = 6;
/// What stands before it in a source.
const MARK: &str = "\n// ---- Added by verilated-build ----\n";

impl Direct {
    /// Adds the function that runs the logic of the clocks that rise to the source with its like,
    /// and returns the index of that source.
    pub(crate) fn add_to(&self, sources: &mut [String], prefix: &str, clocks: usize) -> usize {
        let root = format!("{prefix}___024root");
        let like = format!("void {root}___eval_nba({root}* vlSelf) {{\n");
        let place = sources.iter().position(|source| source.contains(&like)).expect("it was found before");
        let source = &mut sources[place];
        // From an earlier run, whose files Verilator found up to date.
        source.truncate(source.find(MARK).unwrap_or(source.len()));
        let one = "static inline __attribute__((always_inline)) void";
        *source += &format!("{MARK}\n{one} {root}{RISING}_of({root}* vlSelf, const std::uint32_t rising) {{\n");
        for clock in 0..clocks {
            *source += &format!("    const bool clock_{clock} VL_ATTR_UNUSED = rising >> {clock} & 1;\n");
        }
        *source += &format!("{}\n}}\n\nvoid {root}{RISING}({root}* vlSelf, std::uint32_t rising) {{\n", self.nba);
        // A copy for each set of clocks: the compiler leaves out what none of them runs.
        *source += "    switch (rising) {\n";
        for rising in (1..1u32 << clocks.min(CLOCKS_WITH_COPIES_MAX)).filter(|_| clocks <= CLOCKS_WITH_COPIES_MAX) {
            *source += &format!("    case {rising}U: return {root}{RISING}_of(vlSelf, {rising}U);\n");
        }
        *source += &format!("    default: return {root}{RISING}_of(vlSelf, rising);\n    }}\n}}\n");
        place
    }

    /// The C++ type that evaluates, for the shim.
    pub(crate) fn cpp(&self, prefix: &str, clocks: &[String]) -> String {
        let root = format!("{prefix}___024root");
        let mut text = format!(
            "#include \"{root}.h\"\n\nvoid {root}___eval_ico({root}* vlSelf);\n\
             void {root}{RISING}({root}* vlSelf, std::uint32_t rising);\n\n\
             struct {prefix}Edges {{\n  static constexpr bool kDirect = true;\n\n  \
             // The clocks of `rising` rise together. The model was evaluated before, with its clocks low.\n  \
             static void rise({prefix}& top, std::uint32_t rising, bool inputs_changed) {{\n    \
             {root}* const root = top.rootp;\n"
        );
        if !self.resets.is_empty() {
            let high: Vec<String> =
                self.resets.iter().map(|name| format!("root->{name} & root->__Vtrigrprev__TOP__{name}")).collect();
            text += &format!(
                "    if (VL_UNLIKELY(!({}))) {{\n      rise_by_pins(top, rising, inputs_changed);\n      return;\n    }}\n",
                high.join(" & ")
            );
        }
        text += &format!(
            "    if (inputs_changed) {{\n      \
             root->__VicoTriggered.at(0U) = true;\n      {root}___eval_ico(root);\n    }}\n"
        );
        text += &format!("    {root}{RISING}(root, rising);\n  }}\n");
        if !self.resets.is_empty() {
            text += &self.rise_by_pins(prefix, clocks);
        }
        text + "};\n\n"
    }

    fn rise_by_pins(&self, prefix: &str, clocks: &[String]) -> String {
        let mut text = format!(
            "\n private:\n  static void rise_by_pins({prefix}& top, std::uint32_t rising, bool inputs_changed) {{\n    \
             verilated_rs::inputs_changed = inputs_changed;\n    top.eval_step();\n    \
             verilated_rs::inputs_changed = false;\n"
        );
        for (bit, clock) in clocks.iter().enumerate() {
            text += &format!("    top.{clock} = rising >> {bit} & 1;\n");
        }
        text += "    top.eval_step();\n";
        for clock in clocks {
            text += &format!("    top.{clock} = 0;\n");
        }
        text + "    top.eval_step();\n  }\n"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "    VlTriggerVec<1> __VicoTriggered;\n    VlTriggerVec<2> __VnbaTriggered;\n";

    fn source(ico: &str, nba: &str, act: &str) -> String {
        let function = |name: &str, body: &str| {
            let name = format!("A___024root___{name}");
            format!("void {name}(A___024root* vlSelf) {{\n    VL_DBG_MSGF(\"+    {name}\\n\");\n    {body}\n}}\n\n")
        };
        function("eval_ico", &format!("if (vlSelf->__VicoTriggered.at(0U)) {{\n{ico}\n    }}"))
            + &function("eval_act", act)
            + &function("eval_triggers__act", "vlSelf->__VactTriggered.at(0U) = vlSelf->clk_b_i;")
            + &function("nba_sequent__TOP__0", nba)
            + &function(
                "eval_nba",
                "if (vlSelf->__VnbaTriggered.at(1U)) {\n        A___024root___nba_sequent__TOP__0(vlSelf);\n    }",
            )
            + &function(
                "eval",
                "A___024root___eval_ico(vlSelf);\nA___024root___eval_act(vlSelf);\nA___024root___eval_nba(vlSelf);",
            )
            + "(\"         'nba' region trigger index 0 is active: @(posedge clk_b_i)\\n\");\n\
               (\"         'nba' region trigger index 1 is active: @(posedge clk_a_i)\\n\");\n"
    }

    fn find_in(source: String) -> Option<Direct> {
        find(&[source], HEADER, "A", &clocks())
    }

    fn clocks() -> [String; 2] {
        ["clk_a_i".to_owned(), "clk_b_i".to_owned()]
    }

    #[test]
    fn each_clock_has_its_trigger() {
        let direct = find_in(source("x", "y", "")).unwrap();
        assert!(direct.nba.contains("if (clock_0) {\n        A___024root___nba"));
        let mut sources = [source("x", "y", "")];
        direct.add_to(&mut sources, "A", 2);
        let once = sources[0].clone();
        assert!(once.contains("const bool clock_1 VL_ATTR_UNUSED = rising >> 1 & 1;\n"));
        direct.add_to(&mut sources, "A", 2);
        assert_eq!(sources[0], once, "a second time changes nothing");
        assert!(!direct.cpp("A", &clocks()).contains("rise_by_pins"));
    }

    #[test]
    fn a_reset_that_clears_registers_is_looked_at_first() {
        let compared = "vlSelf->__VactTriggered.at(1U) = ((~ (IData)(vlSelf->u__DOT__rst_nq)) \
                        & (IData)(vlSelf->__Vtrigrprev__TOP__u__DOT__rst_nq));\n\
                        vlSelf->__Vtrigrprev__TOP__clk_b_i = vlSelf->clk_b_i;\n";
        let cleared = source("x", "y", "")
            .replace("@(posedge clk_a_i)", "@(posedge clk_a_i or negedge u.rst_nq)")
            .replace("vlSelf->__VactTriggered.at(0U) = vlSelf->clk_b_i;", compared);
        let direct = find_in(cleared.clone()).unwrap();
        assert_eq!(direct.resets, ["u__DOT__rst_nq"]);
        let cpp = direct.cpp("A", &clocks());
        assert!(cpp.contains("if (VL_UNLIKELY(!(root->u__DOT__rst_nq & root->__Vtrigrprev__TOP__u__DOT__rst_nq)))"));
        // A level that is compared and not understood leaves all to the generated code.
        assert!(find_in(cleared.replace("u__DOT__rst_nq", "clk_a_i")).is_none());
    }

    #[test]
    fn a_clock_as_a_level_is_left_to_the_generated_code() {
        assert!(find_in(source("x", "vlSelf->q = vlSelf->clk_a_i;", "")).is_none());
        assert!(find_in(source("x", "vlSelf->q = vlSelf->clk_a_input;", "")).is_some());
    }

    #[test]
    fn clocks_made_inside_and_unknown_regions_are_left_to_the_generated_code() {
        assert!(find_in(source("x", "y", "A___024root___act_sequent__TOP__0(vlSelf);")).is_none());
        let more = source("x", "y", "").replace("A___024root___eval_act(vlSelf);", "A___024root___eval_obs(vlSelf);");
        assert!(find_in(more).is_none());
        let other = source("x", "y", "").replace("@(posedge clk_a_i)", "@(negedge clk_a_i)");
        assert!(find_in(other).is_none());
    }
}
