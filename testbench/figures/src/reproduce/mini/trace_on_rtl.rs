//! A part of each page trace in the cache on the RTL, answer by answer as in the cache in host
//! memory.

use nic_layout::vmh::VmhGeometry;
use nic_lookup::host::Answer;
use nicscope_probe::Probe;
use nicscope_scenario::error::Result;
use nicscope_scenario::failed;
use page_traces::{name, replay, sample, Access, Pattern};

use crate::engine::report::Cell;

/// Decides which sets of the cache are sampled.
pub const SEED: u64 = 1;

/// A part of every trace on a NIC.
///
/// # Errors
/// An answer that is not the one of the cache in host memory.
pub fn on_rtl(geometry: VmhGeometry, traces: &[Vec<Access>], count: usize) -> Result<Vec<Vec<Cell>>> {
    let mut probe = Probe::boot(geometry, false)?;
    let mut rows = Vec::new();
    for (pattern, trace) in Pattern::ALL.iter().zip(traces) {
        let (sample, _) = sample(geometry, trace, count, SEED);
        probe.reset()?;
        let answers = replay(&mut probe, geometry, &sample.accesses)?;
        same(&sample.accesses, &sample.answers, &answers)
            .map_err(|difference| failed!("{} in {}: {difference}", pattern.name(), name(geometry)))?;
        rows.push(vec![
            name(geometry).into(),
            pattern.name().into(),
            (answers.len() as u64).into(),
            sample.sets.into(),
            (sample.misses() as u64).into(),
            0u32.into(),
        ]);
    }
    probe.check_surroundings()?;
    Ok(rows)
}

/// The first answer that differs, in words.
fn same(accesses: &[Access], host: &[Answer], nic: &[Answer]) -> Result<(), String> {
    let pairs = accesses.iter().zip(host).zip(nic);
    match pairs.enumerate().find(|(_, ((_, host), nic))| host != nic) {
        None if host.len() == nic.len() => Ok(()),
        None => Err(format!("{} answers on the host, {} on the NIC", host.len(), nic.len())),
        Some((index, ((access, host), nic))) => {
            Err(format!("lookup {index}, {access:?}: the host answers {host:?}, the NIC {nic:?}"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nic_lookup::host::Target;
    use nic_lookup::Path;

    #[test]
    fn an_answer_that_differs_is_named() {
        let accesses = [Access { path: Path::Send, pid: 1, page: 5 }; 2];
        let host = [Answer::Reserved { line: 0 }, Answer::Hit { line: 0, entry: 7 }];
        assert_eq!(same(&accesses, &host, &host), Ok(()));
        let nic = [host[0], Answer::Hit { line: 0, entry: 8 }];
        let difference = same(&accesses, &host, &nic).unwrap_err();
        assert!(difference.contains("lookup 1") && difference.contains("entry: 8"), "{difference}");
        assert!(same(&accesses, &host, &host[..1]).is_err());
    }

    #[test]
    fn the_rtl_answers_a_part_of_each_trace_as_the_host_does() {
        let traces = Pattern::ALL.map(|pattern| pattern.trace(9));
        let rows = on_rtl(VmhGeometry::RECOMMENDED, &traces, 60).unwrap();
        assert_eq!(rows.len(), Pattern::ALL.len());
        assert!(rows.iter().all(|row| row[2] == Cell::Number(60.0)));
    }

    /// A line that is lost on the way is found, and where.
    #[test]
    fn an_rtl_that_forgets_a_line_is_found() {
        struct Forgetful {
            probe: Probe,
            lookups: u32,
        }
        impl Target for Forgetful {
            type Error = nicscope_scenario::error::Error;

            fn use_page(&mut self, path: Path, pid: u32, page: u32) -> Result<Answer> {
                self.lookups += 1;
                if self.lookups == 20 {
                    self.probe.invalidate(pid, page)?;
                }
                self.probe.use_page(path, pid, page)
            }

            fn unlock(&mut self, path: Path, line: u32) -> Result<Answer> {
                self.probe.unlock(path, line)
            }

            fn invalidate(&mut self, pid: u32, page: u32) -> Result<Answer> {
                self.probe.invalidate(pid, page)
            }

            fn fill(&mut self, line: u32, miss_key: u32, page_number: &dyn Fn(u32) -> u32) -> Result<()> {
                self.probe.fill(line, miss_key, page_number)
            }

            fn release(&mut self, line: u32) -> Result<()> {
                self.probe.release(line)
            }
        }
        let geometry = VmhGeometry::RECOMMENDED;
        let one_page = vec![Access { path: Path::Receive, pid: 1, page: 0x4_0000 }; 30];
        let (sample, _) = sample(geometry, &one_page, 30, SEED);
        let mut target = Forgetful { probe: Probe::boot(geometry, false).unwrap(), lookups: 0 };
        let answers = replay(&mut target, geometry, &sample.accesses).unwrap();
        let difference = same(&sample.accesses, &sample.answers, &answers).unwrap_err();
        assert!(difference.starts_with("lookup 19,") && difference.contains("the NIC Reserved"), "{difference}");
    }
}
