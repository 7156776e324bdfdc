//! The tutorials of docs/tutorials, command by command.
//!
//! Each block of `sh` is run in the folder of the workspace with the command under test on the
//! path. It must succeed, or fail where the block says so (`sh fails`). A block of `text` behind it
//! shows lines of its output, in their order; lines between them may be left out. Words must be the
//! same. Numbers may differ by 5 %, or by 3 of their last digit, and addresses in the firmware's
//! memory by anything: a tutorial explains what happens, docs/measurements.md says how long it
//! takes.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A command of a tutorial and the lines of output that it shows.
struct Step {
    /// Line of the command in the document, from 1.
    line: usize,
    command: String,
    fails: bool,
    shown: Vec<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Block {
    Prose,
    Command,
    Output,
    Other,
}

/// The steps of a document. Output that follows no command is an error of the document.
fn steps(document: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut block = Block::Prose;
    for (index, line) in document.lines().enumerate() {
        match (block, line.strip_prefix("```")) {
            (Block::Prose, Some(kind)) => {
                block = match kind.split(' ').next() {
                    Some("sh") => Block::Command,
                    Some("text") => Block::Output,
                    _ => Block::Other,
                };
                if block == Block::Command {
                    let fails = kind.ends_with("fails");
                    steps.push(Step { line: index + 2, command: String::new(), fails, shown: Vec::new() });
                }
            }
            (_, Some(_)) => block = Block::Prose,
            (Block::Command, None) => {
                let step = steps.last_mut().expect("a block of commands begins a step");
                step.command.push_str(line);
                step.command.push('\n');
            }
            (Block::Output, None) if line.trim() != "…" => {
                let step = steps.last_mut().expect("output stands behind a command");
                step.shown.push(line.to_owned());
            }
            _ => {}
        }
    }
    steps
}

/// Whether a printed line is the shown one, by words and numbers.
fn agrees(shown: &str, printed: &str) -> bool {
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let (shown, printed) = (words(shown), words(printed));
    shown.len() == printed.len() && shown.iter().zip(&printed).all(|(a, b)| same_word(a, b))
}

fn same_word(shown: &str, printed: &str) -> bool {
    let is_address = |word: &str| word.starts_with("0x");
    if shown == printed || is_address(shown) && is_address(printed) {
        return true;
    }
    let (Ok(a), Ok(b)) = (shown.parse::<f64>(), printed.parse::<f64>()) else { return false };
    let decimals = shown.split_once('.').map_or(0, |(_, fraction)| fraction.len() as i32);
    (a - b).abs() <= f64::max(0.05 * a.abs(), 3.0 / 10f64.powi(decimals))
}

/// The first shown line that the output does not have behind those before it.
fn missing<'a>(shown: &'a [String], output: &str) -> Option<&'a str> {
    let mut lines = output.lines();
    shown.iter().find(|wanted| !lines.any(|line| agrees(wanted, line))).map(String::as_str)
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a tutorial, and says at the first difference which command of it printed what.
fn follow(name: &str) {
    let file = format!("docs/tutorials/{name}.md");
    let document = std::fs::read_to_string(workspace().join(&file)).expect("the tutorial is there");
    let command = Path::new(env!("CARGO_BIN_EXE_nicscope"));
    let mut path = vec![command.parent().expect("the command lies in a folder").to_owned()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()));
    let path = std::env::join_paths(path).expect("no folder has a colon in its name");
    let steps = steps(&document);
    assert!(!steps.is_empty(), "{file} has no commands");
    for step in steps {
        let ended = Command::new("sh")
            .args(["-c", &step.command])
            .current_dir(workspace())
            .env("PATH", &path)
            .env("NO_COLOR", "1")
            .env("CARGO", env!("CARGO"))
            .output()
            .expect("a shell runs");
        let output = String::from_utf8_lossy(&ended.stdout).into_owned() + &String::from_utf8_lossy(&ended.stderr);
        let place = format!("{file}:{}: {}", step.line, step.command);
        assert_eq!(!ended.status.success(), step.fails, "{place}ended with {}:\n{output}", ended.status);
        if let Some(line) = missing(&step.shown, &output) {
            panic!("{place}does not print\n{line}\nbut\n{output}");
        }
    }
}

#[test]
fn the_tutorial_of_a_miss_prints_what_it_shows() {
    follow("miss");
}

#[test]
fn the_tutorial_of_the_cache_prints_what_it_shows() {
    follow("cache");
}

#[test]
fn another_word_another_number_and_a_line_out_of_order_are_noticed() {
    let shown = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let output = " size   latency\n   4     4.871\n misses 2\n";
    assert_eq!(missing(&shown(&["size latency", "4 4.9", "misses 2"]), output), None);
    assert_eq!(missing(&shown(&["size bandwidth"]), output), Some("size bandwidth"));
    assert_eq!(missing(&shown(&["4 5.871"]), output), Some("4 5.871"));
    assert_eq!(missing(&shown(&["misses 2", "size latency"]), output), Some("size latency"));
    assert_eq!(missing(&shown(&["misses"]), output), Some("misses"));
    assert_eq!(missing(&shown(&["at 0x100"]), "at 0x104\n"), None);
    assert_eq!(missing(&shown(&["at 0x100"]), "at once\n"), Some("at 0x100"));
}

#[test]
fn a_tutorial_is_cut_into_commands_with_their_output() {
    let document = "Do:\n```sh\na\nb\n```\n\n```text\none\n…\ntwo\n```\n```bash\nc\n```\n```sh fails\nd\n```\n";
    let steps = steps(document);
    let seen: Vec<_> = steps.iter().map(|s| (s.line, s.command.as_str(), s.fails, s.shown.len())).collect();
    assert_eq!(seen, [(3, "a\nb\n", false, 2), (16, "d\n", true, 0)]);
}
