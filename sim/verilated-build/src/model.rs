use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::direct;
use crate::file_list::FileList;
use crate::generated::{self, Classes, Direction, Port};
use crate::input_logic;
use crate::objects::Objects;
use crate::runtime::{self, Agreement};
use crate::shim::Shim;
use crate::units;
use crate::workspace;

/// The waves that a model can write. Even when none is open, a model with traces is slower.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Trace {
    /// No waves.
    #[default]
    None,
    /// Value change dump (IEEE 1364): text.
    Vcd,
    /// Fast signal trace, the format of GTKWave: binary and much smaller.
    Fst,
}

/// What stands where the RTL says `x`, or says nothing.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Unknown {
    /// Whatever is fastest.
    #[default]
    Fast,
    /// Zero, or random if the `Context` is randomized: for tests of reset and X robustness.
    Unique,
}

/// A Verilator model to build. Paths are relative to the package.
#[derive(Debug)]
pub struct Model {
    top_module: String,
    prefix: String,
    sources: FileList,
    parameters: Vec<(String, String)>,
    clocks: Vec<String>,
    pins_of: Option<String>,
    trace: Trace,
    unknown: Unknown,
    coverage: bool,
    assertions: bool,
    arguments: Vec<String>,
    own_sources: Vec<PathBuf>,
    quick_to_build: bool,
}

impl Model {
    /// A model of this module, without files or options.
    pub fn new(top_module: &str) -> Model {
        Model {
            top_module: top_module.to_owned(),
            prefix: format!("V{top_module}"),
            sources: FileList::default(),
            parameters: Vec::new(),
            clocks: Vec::new(),
            pins_of: None,
            trace: Trace::None,
            unknown: Unknown::Fast,
            coverage: false,
            assertions: true,
            arguments: Vec::new(),
            own_sources: Vec::new(),
            quick_to_build: false,
        }
    }

    /// The name of the Rust type. It must be unique in a binary, also among the crates that it
    /// links.
    pub fn prefix(mut self, prefix: &str) -> Model {
        self.prefix = prefix.to_owned();
        self
    }

    /// Adds a source file; a relative path begins at the package.
    pub fn file(mut self, path: impl AsRef<Path>) -> Model {
        self.sources.add_file(workspace::from_package(path.as_ref()));
        self
    }

    /// An `.f` list. Its entries are looked up beside it and in the folders above; a file in
    /// several lists is taken once.
    pub fn file_list(mut self, path: impl AsRef<Path>) -> Model {
        let list = workspace::from_package(path.as_ref());
        self.sources.add_list(&list).unwrap_or_else(|error| panic!("{error}"));
        self
    }

    /// A folder for `` `include ``.
    pub fn include_dir(mut self, path: impl AsRef<Path>) -> Model {
        self.sources.include_dirs.push(workspace::from_package(path.as_ref()));
        self
    }

    /// A parameter of the top module.
    pub fn parameter(mut self, name: &str, value: impl Display) -> Model {
        self.parameters.push((name.to_owned(), value.to_string()));
        self
    }

    /// The next clock input, for `tick`; the first one named is bit 0.
    pub fn clock(mut self, port: &str) -> Model {
        self.clocks.push(port.to_owned());
        self
    }

    /// Shares the type of the pins with the model of that prefix, so that both become the same
    /// `verilated::AnyModel`. The ports must be the same, or the compiler objects.
    pub fn pins_of(mut self, prefix: &str) -> Model {
        self.pins_of = Some(prefix.to_owned());
        self
    }

    /// Which traces the model can write.
    pub fn trace(mut self, trace: Trace) -> Model {
        self.trace = trace;
        self
    }

    /// The values of signals without one.
    pub fn unknown(mut self, unknown: Unknown) -> Model {
        self.unknown = unknown;
        self
    }

    /// Line, toggle and user coverage.
    pub fn coverage(mut self, on: bool) -> Model {
        self.coverage = on;
        self
    }

    /// Compiles assertions in (the default); they can be switched off at run time too.
    pub fn assertions(mut self, on: bool) -> Model {
        self.assertions = on;
        self
    }

    /// Any other argument for Verilator.
    pub fn arg(mut self, argument: &str) -> Model {
        self.arguments.push(argument.to_owned());
        self
    }

    /// C++ of one's own that uses the model's class, compiled as the model is.
    pub fn source(mut self, path: impl AsRef<Path>) -> Model {
        self.own_sources.push(workspace::from_package(path.as_ref()));
        self
    }

    /// Compiles with `-O1`, which takes less time: for a model that is built more often than it
    /// runs for a minute.
    pub fn quick_to_build(mut self) -> Model {
        self.quick_to_build = true;
        self
    }

    /// Verilates, compiles and links the model. Errors in the RTL end the build with Verilator's
    /// message.
    pub fn build(self) {
        let agreement = Agreement::read();
        let folder = workspace::out_dir().join(&self.prefix);
        fs::create_dir_all(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        println!("cargo::rerun-if-changed=build.rs");
        for file in self.sources.lists.iter().chain(&self.sources.files).chain(&self.own_sources) {
            println!("cargo::rerun-if-changed={}", file.display());
        }

        self.verilate(&agreement, &folder);

        let generated = |suffix: &str| {
            let path = folder.join(format!("{}{suffix}", self.prefix));
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let root = workspace::root();
        for file in generated::rtl_dependencies(&generated("__ver.d"), &root, &agreement.verilator.root) {
            println!("cargo::rerun-if-changed={}", file.display());
        }
        let classes = Classes::parse(&generated("_classes.mk"));
        let ports = generated::ports(&generated(".h")).unwrap_or_else(|error| panic!("{}: {error}", self.top_module));
        for clock in &self.clocks {
            let known = ports
                .iter()
                .any(|port| port.name == *clock && port.width_bits == 1 && port.direction == Direction::Input);
            assert!(known, "{} has no one-bit input {clock}, which was named as a clock", self.top_module);
        }
        let source = |name: &String| folder.join(name).with_extension("cpp");
        let mut texts: Vec<String> = classes
            .fast
            .iter()
            .chain(&classes.slow)
            .map(|name| fs::read_to_string(source(name)).expect("Verilator wrote what it listed"))
            .collect();
        let posedge_only = generated::waits_for_rising_edges_only(texts.iter().map(String::as_str), &self.clocks);
        // Coverage counts in that logic too.
        let changed = if self.coverage { None } else { input_logic::make_conditional(&mut texts, &self.clocks) };
        let direct = (posedge_only && changed.is_some())
            .then(|| direct::find(&texts, &generated("___024root.h"), &self.prefix, &self.clocks))
            .flatten();
        let added = direct.as_ref().map(|direct| direct.add_to(&mut texts, &self.prefix, self.clocks.len()));
        for place in changed.into_iter().chain(added) {
            let mut names = classes.fast.iter().chain(&classes.slow);
            let name = names.nth(place).expect("texts are in this order");
            write(&source(name), &texts[place]);
        }
        let input_logic = changed.map(|_| {
            let reads =
                |port: &&Port| port.direction == Direction::Input && input_logic::input_logic_reads(&texts, &port.name);
            ports.iter().filter(reads).collect()
        });

        let shim = Shim {
            top_module: &self.top_module,
            prefix: &self.prefix,
            ports: &ports,
            clocks: &self.clocks,
            posedge_only,
            pins_of: self.pins_of.as_deref(),
            trace: self.trace,
            input_logic,
            reset_pads: generated::reset_pads(&texts, &ports),
            direct,
            verilator: agreement.verilator.version.to_string(),
        };
        write(&folder.join(format!("{}_edges.h", self.prefix)), &shim.edges_h());
        let shim_cpp = folder.join(format!("{}_shim.cpp", self.prefix));
        write(&shim_cpp, &shim.cpp());
        write(&workspace::out_dir().join(format!("{}.rs", self.prefix)), &shim.rust());

        let mut fast: Vec<PathBuf> = classes.fast.iter().map(source).collect();
        fast.push(shim_cpp);
        let slow: Vec<PathBuf> = classes.slow.iter().map(source).collect();
        let join = |class: &str, files| units::join(&folder.join(format!("{}_{class}.cpp", self.prefix)), files);
        let mut fast = join("fast", fast);
        fast.extend(self.own_sources.iter().cloned());
        self.compile(&agreement, &folder, &fast, &join("slow", slow));
    }

    fn verilate(&self, agreement: &Agreement, folder: &Path) {
        let root = workspace::root();
        let seen_from_root = |path: &Path| path.strip_prefix(&root).unwrap_or(path).to_owned();
        let unknown = match self.unknown {
            Unknown::Fast => "fast",
            Unknown::Unique => "unique",
        };
        let mut verilator = Command::new(&agreement.verilator.program);
        verilator
            .current_dir(&root)
            .args(["--cc", "-O3", "--no-timing", "-Wno-fatal", "--timescale-override", "/1ps"])
            .args(["--x-assign", unknown, "--x-initial", unknown])
            .args(["--top-module", &self.top_module, "--prefix", &self.prefix, "--Mdir"])
            .arg(folder);
        match self.trace {
            Trace::None => {}
            Trace::Vcd => drop(verilator.arg("--trace")),
            Trace::Fst => drop(verilator.arg("--trace-fst")),
        }
        if self.assertions {
            verilator.arg("--assert");
        }
        if self.coverage {
            verilator.arg("--coverage");
        }
        for (name, value) in &self.parameters {
            verilator.arg(format!("-G{name}={value}"));
        }
        for include_dir in &self.sources.include_dirs {
            verilator.arg(format!("-I{}", seen_from_root(include_dir).display()));
        }
        verilator
            .args(&self.sources.arguments)
            .args(&self.arguments)
            .args(self.sources.files.iter().map(|file| seen_from_root(file)));

        let run = verilator.output().unwrap_or_else(|error| panic!("cannot run Verilator: {error}"));
        let said = String::from_utf8_lossy(&run.stderr);
        if !run.status.success() {
            panic!("Verilator refuses {}:\n\n{said}\n(run in {}: {verilator:?})\n", self.top_module, root.display());
        }
        for line in said.lines().filter(|line| !line.trim().is_empty()) {
            println!("cargo::warning={line}");
        }
    }

    fn compile(&self, agreement: &Agreement, folder: &Path, fast: &[PathBuf], slow: &[PathBuf]) {
        let flag = |on: bool| if on { "1" } else { "0" };
        let mut build = cc::Build::new();
        runtime::configure(&mut build, agreement);
        build
            .include(folder)
            .define("VM_COVERAGE", flag(self.coverage))
            .define("VM_TRACE", flag(self.trace != Trace::None))
            .define("VM_TRACE_VCD", flag(self.trace == Trace::Vcd))
            .define("VM_TRACE_FST", flag(self.trace == Trace::Fst));

        let compiler = build.get_compiler();
        let surroundings = (compiler.path(), compiler.args(), agreement.verilator.version.to_string());
        let shim_headers = agreement.include.join("verilated_rs");
        let objects = Objects::new(folder.join("objects"), surroundings, &[folder, &shim_headers]);
        // Model code is optimised in every profile. What Verilator calls slow runs once for a model
        // or a file of waves, which is not worth the compiler's time.
        let mut quick = build.clone();
        let opt_level = if self.quick_to_build { 1 } else { 3 };
        quick.opt_level(opt_level);
        if compiler.is_like_gnu() {
            quick.flags(GCC_FLAGS);
        }
        let mut all = objects.compile(&quick, &format!("fast {opt_level} {GCC_FLAGS:?}"), fast);
        all.extend(objects.compile(build.clone().opt_level(0), "slow 0", slow));
        build.objects(&all).compile(&format!("verilated_{}", self.prefix));
    }
}

/// A model is long code without loops, run through once in each evaluation. gcc's search for
/// expressions that were computed before finds many of them and keeps them over thousands of lines,
/// for which there are too few registers: without it the NIC is 0 to 13 % faster.
const GCC_FLAGS: [&str; 2] = ["-fno-gcse", "-fno-tree-pre"];

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
