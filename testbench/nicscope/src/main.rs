use clap::Parser;

fn main() {
    let _ = nicscope::cli::Cli::parse();
}
