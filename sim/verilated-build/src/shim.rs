//! Writes the two halves of a model's shim: C++ that builds the model and hands out the addresses
//! of its ports, and the Rust type with a pin for each.

use std::fmt::Write;

use crate::direct::Direct;
use crate::generated::{Direction, Port};
use crate::input_logic;
use crate::Trace;

pub(crate) struct Shim<'a> {
    pub top_module: &'a str,
    pub prefix: &'a str,
    pub ports: &'a [Port],
    pub clocks: &'a [String],
    pub posedge_only: bool,
    /// The model whose type of pins this one has too.
    pub pins_of: Option<&'a str>,
    pub trace: Trace,
    /// The inputs that are asked about by generated code which asks whether any changed.
    pub input_logic: Option<Vec<&'a Port>>,
    /// The inputs whose falling edge clears registers at once.
    pub reset_pads: Vec<&'a Port>,
    /// Clock edges can be evaluated without a search for what rose.
    pub direct: Option<Direct>,
    pub verilator: String,
}

/// The C++ type that remembers the reset pads.
fn pads_type(prefix: &str, pads: &[&Port]) -> String {
    let mut text = format!("struct {prefix}Pads {{\n");
    for pad in pads {
        writeln!(text, "  CData {} = 1;", pad.name).unwrap();
    }
    write!(text, "  bool moved(const {prefix}& top) {{\n    bool same = true;\n").unwrap();
    for Port { name, .. } in pads {
        writeln!(text, "    same &= {name} == top.{name};\n    {name} = top.{name};").unwrap();
    }
    text + "    return !same;\n  }\n};\n\n"
}

const KEYWORDS: &[&str] = &[
    "as", "async", "await", "box", "break", "const", "continue", "do", "dyn", "else", "enum", "extern", "false", "fn",
    "for", "gen", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "unsafe", "use", "where", "while", "yield",
];

impl Shim<'_> {
    /// What must be evaluated and how, also for C++ that evaluates the model by itself.
    pub(crate) fn edges_h(&self) -> String {
        let prefix = self.prefix;
        let inputs = match &self.input_logic {
            Some(inputs) => input_logic::cpp_type(prefix, inputs),
            None => format!("using {prefix}Inputs = verilated_rs::NoInputs;\n\n"),
        };
        let pads = match self.reset_pads[..] {
            [] => format!("using {prefix}Pads = verilated_rs::NoPads;\n\n"),
            ref pads => pads_type(prefix, pads),
        };
        let edges = match &self.direct {
            Some(direct) => direct.cpp(prefix, self.clocks),
            None => format!("using {prefix}Edges = verilated_rs::PinEdges;\n"),
        };
        format!(
            "#pragma once\n\n#include <cstdint>\n#include <cstring>\n#include <type_traits>\n\n#include \"{prefix}.h\"\n\
             #include \"verilated_rs/edges.h\"\n#include \"verilated_rs/inputs.h\"\n\n{inputs}{pads}{edges}"
        )
    }

    pub(crate) fn cpp(&self) -> String {
        let prefix = self.prefix;
        let policy = match self.trace {
            Trace::None => "NoTrace",
            Trace::Vcd => "VcdTrace",
            Trace::Fst => "FstTrace",
        };
        let mut text = format!(
            "#include \"{prefix}_edges.h\"\n#include \"verilated_rs/top.h\"\n\n\
             extern \"C\" verilated_rs::Model* verilated_new_{prefix}(VerilatedContext* context, void** ports) {{\n  \
             try {{\n    \
             auto model = std::make_unique<verilated_rs::TopModel<{prefix}, verilated_rs::{policy}, {prefix}Inputs, {prefix}Edges, {prefix}Pads>>(\n        \
             std::unique_ptr<VerilatedContext>{{context}}, {});\n",
            self.posedge_only
        );
        for (i, port) in self.ports.iter().enumerate() {
            let data = if port.is_wide() { ".data()" } else { "" };
            let address = if port.is_wide() { "" } else { "&" };
            writeln!(text, "    ports[{i}] = {address}model->top.{}{data};", port.name).unwrap();
        }
        for clock in self.clocks {
            writeln!(text, "    model->add_clock(model->top.{clock});").unwrap();
        }
        text += "    return model.release();\n  } catch (...) {\n    return nullptr;\n  }\n}\n";
        text
    }

    pub(crate) fn rust(&self) -> String {
        let (prefix, top_module) = (self.prefix, self.top_module);
        let mut fields = String::new();
        let mut values = String::new();
        for (i, port) in self.ports.iter().enumerate() {
            let name = field_name(&port.name);
            let pin = match port.direction {
                Direction::Input => "::verilated::Input",
                Direction::Output => "::verilated::Output",
            };
            let (rust_type, width) = (port.rust_type(), port.width_bits);
            writeln!(fields, "    pub {name}: {pin}<{rust_type}, {width}>,").unwrap();
            writeln!(values, "                {name}: {pin}::<{rust_type}, {width}>::new(ports[{i}]),").unwrap();
        }
        let clocks: Vec<String> = self.clocks.iter().map(|clock| format!("{clock:?}")).collect();
        let trace = match self.trace {
            Trace::None => "None",
            Trace::Vcd => "Some(::verilated::TraceFormat::Vcd)",
            Trace::Fst => "Some(::verilated::TraceFormat::Fst)",
        };
        let (pins, pins_type) = match self.pins_of {
            Some(other) => (format!("{other}Pins"), String::new()),
            None => {
                let name = format!("{prefix}Pins");
                let definition = format!("/// The ports of `{top_module}`.\npub struct {name} {{\n{fields}}}\n\n");
                (name, definition)
            }
        };
        format!(
            "{pins_type}/// The verilated module `{top_module}`.
pub struct {prefix}(::verilated::AnyModel<{pins}>);

#[allow(dead_code)]
impl {prefix} {{
    /// The clock inputs that were named in the build; bit i of the mask of `tick` is element i.
    pub const CLOCKS: &'static [&'static str] = &[{clocks}];
    /// The format in which this build can write waves.
    pub const TRACE: ::std::option::Option<::verilated::TraceFormat> = {trace};
    /// All logic waits for rising edges of `CLOCKS` only, so that falling edges need no evaluation.
    pub const POSEDGE_ONLY: bool = {posedge_only};
    /// Logic between inputs and registers is evaluated only when inputs changed.
    pub const KNOWS_UNCHANGED_INPUTS: bool = {asks_for_changes};
    /// Clock edges are evaluated without a search for what rose.
    pub const DIRECT_EDGES: bool = {direct};
    /// The version of Verilator that made it.
    pub const VERILATOR: &'static str = {verilator:?};

    pub fn new(context: ::verilated::Context) -> ::std::result::Result<{prefix}, ::verilated::Error> {{
        extern \"C\" {{
            #[allow(improper_ctypes)]
            fn verilated_new_{prefix}(
                context: *mut ::verilated::RawContext,
                ports: *mut *mut u8,
            ) -> *mut ::verilated::ForeignModel;
        }}
        let mut ports = [::std::ptr::null_mut(); {port_count}];
        // SAFETY: the C++ function was generated for this model, and fills in as many ports.
        let handle = unsafe {{
            ::verilated::Handle::new({prefix:?}, Self::CLOCKS, context, verilated_new_{prefix}, &mut ports)?
        }};
        // SAFETY: addresses, types and widths are those of the model, which lives as long as
        // `handle`.
        let pins = unsafe {{
            {pins} {{
{values}            }}
        }};
        // SAFETY: pins and handle belong together.
        ::std::result::Result::Ok({prefix}(unsafe {{ ::verilated::AnyModel::new(pins, handle) }}))
    }}
}}

impl ::std::ops::Deref for {prefix} {{
    type Target = {pins};
    #[inline(always)]
    fn deref(&self) -> &{pins} {{
        &self.0
    }}
}}

impl ::std::convert::From<{prefix}> for ::verilated::AnyModel<{pins}> {{
    fn from(model: {prefix}) -> Self {{
        model.0
    }}
}}

impl ::verilated::Model for {prefix} {{
    #[inline(always)]
    unsafe fn handle(&mut self) -> &mut ::verilated::Handle {{
        // SAFETY: the caller's promise is the one that is asked for.
        unsafe {{ self.0.handle() }}
    }}
    #[inline(always)]
    fn handle_ref(&self) -> &::verilated::Handle {{
        self.0.handle_ref()
    }}
}}
",
            posedge_only = self.posedge_only,
            asks_for_changes = self.input_logic.is_some(),
            direct = self.direct.is_some(),
            verilator = self.verilator,
            port_count = self.ports.len(),
            clocks = clocks.join(", "),
        )
    }
}

fn field_name(port: &str) -> String {
    if KEYWORDS.contains(&port) {
        format!("r#{port}")
    } else {
        port.to_owned()
    }
}
