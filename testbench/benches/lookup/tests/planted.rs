//! A defect that is planted between the operations is found, shrunk, kept and reported.

use std::collections::BTreeSet;

use bench_lookup::compare::{compare, Subject};
use bench_lookup::geometry::SMALL;
use bench_lookup::search::Outcome;
use bench_lookup::{List, Probe, Search};
use nic_layout::vmh::{replacement_reset, VmhGeometry};
use nic_lookup::check::{Answer, Target};
use nic_lookup::Path;
use nicscope_scenario::error::{Error, Result};

/// The loss in the memory of the NIC, made by a write over PCI or by leaving one out.
#[derive(Clone, Copy, Debug)]
enum Defect {
    /// The lock of a hit is lost.
    Lock,
    /// The order of a set is forgotten after each hit.
    Order,
    /// The last entry of a fill does not arrive.
    Entry,
    /// An invalidation leaves the line.
    Invalidation,
    /// A line that was given back stays reserved.
    Release,
}

struct Planted<'a> {
    probe: &'a mut Probe,
    defect: Defect,
}

impl Target for Planted<'_> {
    type Error = Error;

    fn use_page(&mut self, path: Path, pid: u32, page: u32) -> Result<Answer> {
        let answer = self.probe.use_page(path, pid, page)?;
        if let Answer::Hit { line, .. } = answer {
            match self.defect {
                Defect::Lock => self.probe.write(SMALL.state_offset(line), vec![0])?,
                Defect::Order => {
                    let order = SMALL.replacement_offset(line / SMALL.ways);
                    self.probe.write(order, vec![replacement_reset(SMALL.ways)])?;
                }
                _ => {}
            }
        }
        Ok(answer)
    }

    fn unlock(&mut self, path: Path, line: u32) -> Result<Answer> {
        self.probe.unlock(path, line)
    }

    fn invalidate(&mut self, pid: u32, page: u32) -> Result<Answer> {
        match self.defect {
            Defect::Invalidation => Ok(Answer::Done),
            _ => self.probe.invalidate(pid, page),
        }
    }

    fn fill(&mut self, line: u32, miss_key: u32, page_number: &dyn Fn(u32) -> u32) -> Result<()> {
        self.probe.fill(line, miss_key, page_number)?;
        match self.defect {
            Defect::Entry => self.probe.write(SMALL.entry_offset(line, SMALL.line_entries - 1), vec![0]),
            _ => Ok(()),
        }
    }

    fn release(&mut self, line: u32) -> Result<()> {
        match self.defect {
            Defect::Release => Ok(()),
            _ => self.probe.release(line),
        }
    }
}

impl Subject for Planted<'_> {
    fn geometry(&self) -> VmhGeometry {
        SMALL
    }

    fn begin(&mut self) -> Result<()> {
        self.probe.begin()
    }

    fn read(&mut self, offset: u32, count: u32) -> Result<Vec<u32>> {
        self.probe.read(offset, count)
    }

    fn end(&mut self, sets: &BTreeSet<u32>) -> Result<()> {
        self.probe.end(sets)
    }
}

#[test]
fn every_planted_defect_is_found_and_told() {
    let folder = tempfile::tempdir().expect("a folder for failing lists");
    let mut probe = Probe::boot(SMALL, false).unwrap_or_else(|error| panic!("{error}"));
    // The number of operations of the shortest list that can show each defect.
    let defects =
        [(Defect::Lock, 3), (Defect::Order, 3), (Defect::Entry, 2), (Defect::Invalidation, 1), (Defect::Release, 2)];
    for (defect, shortest) in defects {
        let folder = folder.path().to_path_buf();
        let search = Search { name: "planted", cases: 50, seed: 77, folder };
        let mut planted = Planted { probe: &mut probe, defect };
        let Outcome::Failed(found) = search.run(&mut planted).unwrap_or_else(|error| panic!("{error}")) else {
            panic!("{defect:?} was not found");
        };
        let text = found.to_string();
        println!("{defect:?}:\n{text}\n");
        assert_eq!(found.list.ops.len(), shortest, "{defect:?}: {text}");
        assert!(text.contains("seed 77"), "{text}");
        for op in &found.list.ops {
            assert!(text.contains(&format!("\n{op}\n")), "{op} in {text}");
        }
        let command = format!("NICSCOPE_REPLAY={}", found.file.display());
        assert!(
            text.contains(&command) && text.contains("NICSCOPE_WAVES=") && text.contains("--test replay"),
            "{text}"
        );
        assert_eq!(List::load(&found.file).unwrap_or_else(|error| panic!("{error}")), found.list);
        // The defect was planted: a correct NIC passes the same list.
        let sound = compare(&mut probe, &found.list.ops);
        assert!(sound.is_ok(), "{defect:?}: {}", sound.unwrap_err());
    }
}
