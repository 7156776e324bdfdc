//! Saves the evaluation of logic behind inputs that did not change.
//!
//! A verilated model evaluates all logic between its inputs and the first registers at each call,
//! since it does not know which inputs changed. With several unrelated clocks most calls come with
//! the same inputs: for the whole NIC that logic was a sixth of the time. Generated code is changed
//! in one place, the trigger of that region, to ask `verilated_rs::inputs_changed`. Where the place
//! is not found as expected, or a clock takes part in that logic, the code stays as it is.

use crate::generated::{function_bodies, mentions, Port};

/// (generated, replacement), for the versions from 5.006 and from about 5.036 on.
const TRIGGERS: [(&str, &str); 2] = [
    ("= (0U == vlSelf->__VicoIterCount);", "= ((0U == vlSelf->__VicoIterCount) && ::verilated_rs::inputs_changed);"),
    ("__VicoFirstIteration = 1U;", "__VicoFirstIteration = ::verilated_rs::inputs_changed;"),
];

const INCLUDE: &str = "#include \"verilated_rs/inputs.h\"\n";

/// Changes the one source among `sources` that triggers the input logic, and returns its index;
/// None if nothing was changed.
pub(crate) fn make_conditional(sources: &mut [String], clocks: &[String]) -> Option<usize> {
    if clocks.is_empty() || clocks.iter().any(|clock| input_logic_reads(sources, clock)) {
        return None;
    }
    for (generated, replacement) in TRIGGERS {
        if let Some(done) = sources.iter().position(|source| source.contains(replacement)) {
            return Some(done); // in an earlier run, whose files Verilator found up to date
        }
        let count: usize = sources.iter().map(|source| source.matches(generated).count()).sum();
        if count == 1 {
            let place = sources.iter().position(|source| source.contains(generated))?;
            sources[place] = format!("{INCLUDE}{}", sources[place].replace(generated, replacement));
            return Some(place);
        }
    }
    None
}

/// Whether a function of the input region (`..._ico_...`) mentions a port.
pub(crate) fn input_logic_reads(sources: &[String], port: &str) -> bool {
    let functions = sources.iter().flat_map(|source| function_bodies(source));
    functions.filter(|(head, _)| head.contains("___ico_")).any(|(_, body)| mentions(body, port))
}

/// The C++ type that remembers the inputs, for the shim.
pub(crate) fn cpp_type(prefix: &str, inputs: &[&Port]) -> String {
    let mut text = format!("struct {prefix}Inputs {{\n  bool known = false;\n");
    for port in inputs {
        text += &format!(
            "  std::remove_cv_t<std::remove_reference_t<decltype({prefix}::{})>> {}{{}};\n",
            port.name, port.name
        );
    }
    text += &format!("  bool update(const {prefix}& top) {{\n    bool same = known;\n");
    for port in inputs {
        let name = &port.name;
        if port.is_wide() {
            text += &format!("    same &= std::memcmp(&{name}, &top.{name}, sizeof {name}) == 0;\n");
        } else {
            text += &format!("    same &= {name} == top.{name};\n");
        }
    }
    text += "    if (same) return false;\n    known = true;\n";
    for port in inputs {
        text += &format!("    {0} = top.{0};\n", port.name);
    }
    text += "    return true;\n  }\n};\n\n";
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(ico_body: &str) -> String {
        format!(
            "void A___eval_triggers__ico(A* vlSelf) {{\n    vlSelf->__VicoTriggered.at(0U) = (0U == vlSelf->__VicoIterCount);\n}}\n\n\
             VL_INLINE_OPT void A___ico_sequent__TOP__0(A* vlSelf) {{\n    {ico_body}\n}}\n\n\
             void A___nba(A* vlSelf) {{\n    vlSelf->x = vlSelf->clk_i;\n}}\n"
        )
    }

    #[test]
    fn the_trigger_asks_whether_inputs_changed() {
        let mut sources = ["".to_owned(), source("vlSelf->b = vlSelf->clk_input & vlSelf->a;")];
        assert_eq!(make_conditional(&mut sources, &["clk_i".to_owned()]), Some(1));
        assert!(sources[1].starts_with(INCLUDE) && sources[1].contains("&& ::verilated_rs::inputs_changed"));
        let once = sources.clone();
        assert_eq!(make_conditional(&mut sources, &["clk_i".to_owned()]), Some(1));
        assert_eq!(sources, once, "a second time changes nothing");
    }

    #[test]
    fn input_logic_with_a_clock_in_it_is_left_alone() {
        let mut sources = [source("vlSelf->b = vlSelf->clk_i & vlSelf->a;")];
        let before = sources.clone();
        assert_eq!(make_conditional(&mut sources, &["clk_i".to_owned()]), None);
        assert_eq!(sources, before);
    }

    #[test]
    fn unknown_code_is_left_alone() {
        let mut sources = ["void A___eval() {}\n".to_owned()];
        assert_eq!(make_conditional(&mut sources, &["clk_i".to_owned()]), None);
    }
}
