//! Runs one list step by step, with a log and waves.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use nic_layout::vmh::VmhGeometry;
use nic_lookup::check::{Answer, Coverage, Target};
use nic_lookup::Path as LookupPath;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::{failed, image, request_error};
use sim_pins::Ps;

use crate::compare::{compare, Subject};
use crate::list::List;
use crate::probe::Probe;

/// A probe that prints when each step began and ended, so that the step can be found in the waves.
struct Narrator {
    probe: Probe,
}

impl Narrator {
    fn tell<T>(
        &mut self,
        what: String,
        step: impl FnOnce(&mut Probe) -> Result<T>,
        end: impl Fn(&T, u32) -> String,
    ) -> Result<T> {
        let begin = self.probe.now();
        let outcome = step(&mut self.probe)?;
        let (now, clocks) = (self.probe.now(), self.probe.last_cycles());
        println!("{:>14} to {:>14}  {what:<38} {}", time(begin), time(now), end(&outcome, clocks));
        Ok(outcome)
    }
}

fn time(at: Ps) -> String {
    format!("{}.{:06} us", at.0 / 1_000_000, at.0 % 1_000_000)
}

fn answered(answer: &Answer, clocks: u32) -> String {
    let answer = match answer {
        Answer::Hit { line, entry } => format!("hit in line {line}, page number {entry:#x}"),
        Answer::Reserved { line } => format!("miss, line {line} reserved"),
        Answer::Pending => "pending".to_owned(),
        Answer::NoWay => "no way is free".to_owned(),
        Answer::Done => "done".to_owned(),
        Answer::Nothing => "nothing to do".to_owned(),
    };
    format!("{answer}; {clocks} core clocks")
}

fn posted(_: &(), _: u32) -> String {
    "posted by the host".to_owned()
}

impl Target for Narrator {
    type Error = Error;

    fn use_page(&mut self, path: LookupPath, pid: u32, page: u32) -> Result<Answer> {
        let what = format!("use {path:?} process {pid} page {page:#x}");
        self.tell(what, |probe| probe.use_page(path, pid, page), answered)
    }

    fn unlock(&mut self, path: LookupPath, line: u32) -> Result<Answer> {
        self.tell(format!("unlock {path:?} line {line}"), |probe| probe.unlock(path, line), answered)
    }

    fn invalidate(&mut self, pid: u32, page: u32) -> Result<Answer> {
        self.tell(format!("invalidate process {pid} page {page:#x}"), |probe| probe.invalidate(pid, page), answered)
    }

    fn fill(&mut self, line: u32, miss_key: u32, page_number: &dyn Fn(u32) -> u32) -> Result<()> {
        self.tell(format!("fill line {line}"), |probe| probe.fill(line, miss_key, page_number), posted)
    }

    fn release(&mut self, line: u32) -> Result<()> {
        self.tell(format!("release line {line}"), |probe| probe.release(line), posted)
    }
}

impl Subject for Narrator {
    fn geometry(&self) -> VmhGeometry {
        self.probe.geometry()
    }

    fn begin(&mut self) -> Result<()> {
        self.tell("empty the cache".to_owned(), |probe| probe.begin(), |_, _| String::new())
    }

    fn read(&mut self, offset: u32, count: u32) -> Result<Vec<u32>> {
        self.probe.read(offset, count)
    }

    fn end(&mut self, sets: &BTreeSet<u32>) -> Result<()> {
        self.probe.end(sets)
    }
}

/// Runs a list on all three caches. With a folder for waves it writes `replay.fst` there, from the
/// first step on, also if the list fails.
pub fn replay(list: &List, waves: Option<&Path>) -> Result<Coverage> {
    let mut narrator = Narrator { probe: Probe::boot(list.geometry, waves.is_some())? };
    if let Some(folder) = waves {
        fs::create_dir_all(folder).map_err(|error| request_error!("{}: {error}", folder.display()))?;
        let file = folder.join("replay.fst");
        narrator.probe.open_waves(&file)?;
        println!("waves: {}", file.display());
    }
    let verdict = compare(&mut narrator, &list.ops);
    narrator.probe.close_waves()?;
    verdict.map_err(|wrong| failed!("{wrong}"))
}

/// Makes a path that was given relative to the folder of the workspace usable: tests run in another
/// folder.
pub fn typed_path(path: &Path) -> PathBuf {
    let workspace = image::workspace();
    workspace.canonicalize().unwrap_or_else(|_| workspace.to_path_buf()).join(path)
}

/// The list of the variable `NICSCOPE_REPLAY`: the path of a file, or the text of a list.
pub fn named_list(value: &str) -> Result<List> {
    match value.contains("geometry ") {
        true => value.parse(),
        false => List::load(&typed_path(Path::new(value))),
    }
}
