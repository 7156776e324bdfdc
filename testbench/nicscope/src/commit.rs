//! The commit of the project that this command was built from.

use std::process::Command;

use nicscope_scenario::image::workspace;

/// The commit that is checked out, short, with `+` if files differ from it; `unknown` outside of a
/// checkout.
pub fn commit() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).current_dir(workspace()).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    match git(&["rev-parse", "--short", "HEAD"]) {
        None => "unknown".into(),
        Some(commit) => match git(&["status", "--porcelain", "--untracked-files=no"]) {
            Some(changes) if changes.is_empty() => commit,
            _ => commit + "+",
        },
    }
}
