//! Builds the Verilator runtime. Only the `verilated` crate uses this.

use std::env;
use std::path::{Path, PathBuf};

use crate::toolchain::{self, Verilator, Version};
use crate::workspace;

/// What models and runtime must agree on: passed from the build script of `verilated` to those of
/// models by cargo, in DEP_VERILATED_* variables.
pub(crate) struct Agreement {
    pub verilator: Verilator,
    pub compiler: Option<PathBuf>,
    pub include: PathBuf,
}

impl Agreement {
    fn publish(&self) {
        println!("cargo::metadata=PROGRAM={}", self.verilator.program.display());
        println!("cargo::metadata=COMPILER={}", self.compiler.as_deref().unwrap_or(Path::new("")).display());
        println!("cargo::metadata=INCLUDE={}", self.include.display());
    }

    pub(crate) fn read() -> Agreement {
        let read = |name: &str| {
            env::var_os(format!("DEP_VERILATED_{name}")).unwrap_or_else(|| {
                panic!("a package whose build script builds a verilated model must name `verilated` in [dependencies]")
            })
        };
        let compiler = read("COMPILER");
        Agreement {
            verilator: Verilator::at(PathBuf::from(read("PROGRAM"))),
            compiler: (!compiler.is_empty()).then(|| PathBuf::from(compiler)),
            include: PathBuf::from(read("INCLUDE")),
        }
    }
}

/// The macros that change classes or functions of the Verilator runtime's headers, the same for
/// all.
pub(crate) fn configure(build: &mut cc::Build, agreement: &Agreement) {
    build
        .cpp(true)
        // Its standard headers take two thirds of the time that those of C++20 take.
        .std("c++17")
        .warnings(false)
        .debug(false)
        .define("VERILATOR", "1")
        .define("VL_TIME_CONTEXT", None)
        .define("VM_SC", "0")
        .include(agreement.verilator.include())
        .include(agreement.verilator.include().join("vltstd"))
        .include(&agreement.include);
    if let Some(compiler) = &agreement.compiler {
        build.compiler(compiler);
    }
    let compiler = build.get_compiler();
    if compiler.is_like_clang() {
        build.flag("-fbracket-depth=4096");
    }
    if env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64") {
        // Marks of control-flow integrity at each jump are of no use here.
        build.flag("-fcf-protection=none");
    }
}

/// The Verilator runtime and the C++ of the `verilated` crate.
pub struct Runtime {
    agreement: Agreement,
    bridge: PathBuf,
    sources: Vec<PathBuf>,
    force_include: PathBuf,
}

impl Runtime {
    /// Finds Verilator and a compiler; stops the build with a remedy if there is none.
    pub fn find() -> Runtime {
        let verilator = Verilator::find();
        let compiler = toolchain::compiler();
        let agreement = Agreement { verilator, compiler, include: PathBuf::new() };
        Runtime { agreement, bridge: PathBuf::new(), sources: Vec::new(), force_include: PathBuf::new() }
    }

    /// The Rust file with the bridge.
    pub fn cxx_bridge(mut self, file: &str) -> Runtime {
        self.bridge = PathBuf::from(file);
        self
    }

    /// The C++ files, relative to the package.
    pub fn sources<const N: usize>(mut self, files: [&str; N]) -> Runtime {
        self.sources = files.map(PathBuf::from).to_vec();
        self
    }

    /// A header that declares the function behind VL_PRINTF.
    pub fn force_include(mut self, header: &str) -> Runtime {
        self.force_include = workspace::package().join(header);
        self
    }

    /// The folder of headers that models' shims include.
    pub fn include(mut self, folder: &str) -> Runtime {
        self.agreement.include = workspace::package().join(folder);
        self
    }

    /// Compiles and links; stops the build with the compiler's message if that fails.
    pub fn compile(self) {
        let Runtime { agreement, bridge, sources, force_include } = self;
        println!("cargo::rerun-if-changed={}", bridge.display());
        println!("cargo::rerun-if-changed={}", agreement.include.display());

        let include = agreement.verilator.include();
        let mut build = cxx_build::bridge(bridge);
        configure(&mut build, &agreement);
        build
            .opt_level(3)
            .define("VL_USER_FINISH", None)
            .define("VL_USER_STOP", None)
            .define("VL_USER_FATAL", None)
            .define("VL_USER_WARN", None)
            .define("VL_PRINTF", "verilated_rs_printf")
            .flag("-include")
            .flag(force_include)
            .files(sources);
        for file in ["verilated", "verilated_threads", "verilated_cov", "verilated_vcd_c", "verilated_fst_c"] {
            build.file(include.join(file).with_extension("cpp"));
        }
        let needs_lz4 = agreement.verilator.version >= Version::FST_NEEDS_LZ4;
        toolchain::require_header(&build, "zlib.h", "zlib1g-dev");
        if needs_lz4 {
            toolchain::require_header(&build, "lz4.h", "liblz4-dev");
        }
        build.compile("verilated_runtime");

        println!("cargo::rustc-link-lib=z");
        if needs_lz4 {
            println!("cargo::rustc-link-lib=lz4");
        }
        if build.get_compiler().is_like_clang() {
            // clang asks the library whether atomics are free of locks; gcc knows.
            println!("cargo::rustc-link-lib=atomic");
        }
        agreement.publish();
    }
}
