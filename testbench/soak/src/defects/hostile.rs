//! The workload that shows most defects: processes evict each other's lines from small caches, make
//! posts that must be refused, and withdraw buffers that others use.

use std::collections::VecDeque;
use std::sync::Arc;

use host_model::address::UserVirt;
use host_model::library::{Access, Export, Process};
use nicscope_run::node::Handle;
use nicscope_scenario::error::Result;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::job::{wrong, Exports, Job};
use crate::defect::Workload;
use crate::personality::Personality;

pub(super) const PROCESSES: usize = 4;
const ROUNDS: u32 = 40;
const OUTSTANDING: usize = 3;
const AREA_PAGES: u32 = 96;
const AREA_BYTES: u32 = AREA_PAGES * 4096;
const MESSAGE_BYTES_MAX: u32 = 6000;
/// The round in which each process withdraws one of its buffers.
const WITHDRAWAL: u32 = ROUNDS / 3;

/// Opens the processes of a node, and lets each work to its end.
pub(super) async fn play(job: Job) -> Result<()> {
    let Job { workload, personality, node, handle, meeting, seed } = job;
    let (mut members, mut exports) = (Vec::new(), Vec::new());
    for _ in 0..PROCESSES {
        let process = handle.open("process").await.map_err(wrong)?;
        let area = process.alloc(AREA_BYTES).map_err(wrong)?;
        let own = [
            process.export_as(area, AREA_BYTES, Access::BOTH).await.map_err(wrong)?,
            process.export_as(area, AREA_BYTES, Access::BOTH).await.map_err(wrong)?,
        ];
        exports.push(own);
        members.push((process, area, own[1]));
    }
    let all = meeting.exchange("exports", exports).await;
    let theirs = Arc::new(all[(node + 1) % all.len()].clone());
    let tasks: Vec<_> = members
        .into_iter()
        .enumerate()
        .map(|(n, (process, area, temporary))| {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream((node * PROCESSES + n) as u64);
            let (theirs, handle) = (theirs.clone(), handle.clone());
            let sim = handle.sim().clone();
            let member = Member { personality, handle, process, area, temporary, theirs, random };
            let work = async move {
                match workload {
                    Workload::StaticTables => member.work_with_imports().await,
                    _ => member.work().await,
                }
            };
            sim.spawn("process", work)
        })
        .collect();
    for task in tasks {
        task.await?;
    }
    Ok(())
}

struct Member {
    personality: &'static Personality,
    handle: Handle,
    process: Process,
    area: UserVirt,
    temporary: Export,
    theirs: Arc<Exports>,
    random: ChaCha8Rng,
}

impl Member {
    fn below(&mut self, limit: u32) -> u32 {
        ((u64::from(self.random.next_u32()) * u64::from(limit)) >> 32) as u32
    }

    /// Posts, withdraws and invalidates. The ends of posts are not checked, because many posts must
    /// be refused.
    async fn work(mut self) -> Result<()> {
        self.process.set_pio_bytes_max(0);
        let mut posted = VecDeque::new();
        for round in 0..ROUNDS {
            if posted.len() == OUTSTANDING {
                let oldest = posted.pop_front().expect("as many as that");
                let _refused = self.process.wait(oldest).await;
            }
            if round == WITHDRAWAL {
                let temporary = self.temporary;
                self.process.withdraw(&temporary).await.map_err(wrong)?;
            }
            let bytes = 1 + self.below(MESSAGE_BYTES_MAX);
            let (own, offset) = (self.below(AREA_BYTES - bytes), self.below(AREA_BYTES - bytes));
            let own = UserVirt(self.area.0 + own);
            let to = self.theirs[self.random.next_u32() as usize % PROCESSES];
            let (stays, goes) = (to[0], to[1]);
            let handle = match self.below(8) {
                0 => self.process.read(&stays, offset, bytes, own, round).await,
                1 => self.process.read(&with_wrong_key(&stays), offset, bytes, own, round).await,
                2 => self.process.write(own, bytes, &unknown(&stays), offset, round).await,
                3 | 4 => self.process.write(own, bytes, &goes, offset, round).await,
                5 => {
                    let cpu = self.process.cpu().clone();
                    (self.personality.invalidate)(self.handle.driver(), &cpu, self.process.pid(), own)
                        .await
                        .map_err(wrong)?;
                    self.process.write(own, bytes, &stays, offset, round).await
                }
                _ => self.process.write(own, bytes, &stays, offset, round).await,
            };
            posted.push_back(handle.map_err(wrong)?);
        }
        for handle in posted {
            let _refused = self.process.wait(handle).await;
        }
        Ok(())
    }

    /// As [`Member::work`], with posts that name imports and registered memory.
    async fn work_with_imports(mut self) -> Result<()> {
        self.process.set_pio_bytes_max(0);
        self.process.register(self.area, AREA_BYTES).await.map_err(wrong)?;
        let theirs = self.theirs.clone();
        for [stays, goes] in theirs.iter() {
            for export in [*stays, *goes, with_wrong_key(stays), unknown(stays)] {
                self.process.import(&export).await.map_err(wrong)?;
            }
        }
        let mut posted = VecDeque::new();
        for round in 0..ROUNDS {
            while posted.len() >= OUTSTANDING {
                let oldest = posted.pop_front().expect("as many as that");
                let _refused = self.process.wait(oldest).await;
            }
            if round == WITHDRAWAL {
                let temporary = self.temporary;
                self.process.withdraw(&temporary).await.map_err(wrong)?;
            }
            let bytes = 1 + self.below(MESSAGE_BYTES_MAX);
            let (own, offset) = (self.below(AREA_BYTES - bytes), self.below(AREA_BYTES - bytes));
            let own = UserVirt(self.area.0 + own);
            let [stays, goes] = theirs[self.random.next_u32() as usize % PROCESSES];
            // The message number tells the posts of a node apart.
            let message = round + ROUNDS * self.process.pid().0;
            let handle = match self.below(8) {
                0 => self.process.read(&stays, offset, bytes, own, message).await,
                1 => self.process.read(&with_wrong_key(&stays), offset, bytes, own, message).await,
                2 => self.process.write(own, bytes, &unknown(&stays), offset, message).await,
                3 => self.process.write(own, bytes, &stays, AREA_BYTES - bytes / 2, message).await,
                4 => self.process.write(own, bytes, &goes, offset, message).await,
                5 => {
                    // The import is released although posts that name it are outstanding. The NIC
                    // must refuse those that it has not fetched.
                    for _ in 1..OUTSTANDING {
                        let handle = self.process.write(own, bytes, &stays, offset, message).await;
                        posted.push_back(handle.map_err(wrong)?);
                    }
                    let handle = self.process.write(own, bytes, &stays, offset, message).await;
                    self.process.release_import(&stays).await.map_err(wrong)?;
                    self.process.import(&stays).await.map_err(wrong)?;
                    handle
                }
                _ => self.process.write(own, bytes, &stays, offset, message).await,
            };
            posted.push_back(handle.map_err(wrong)?);
        }
        for handle in posted {
            let _refused = self.process.wait(handle).await;
        }
        Ok(())
    }
}

/// The same buffer with a wrong key.
fn with_wrong_key(export: &Export) -> Export {
    Export { key: [export.key[0], !export.key[1], 0, 0], ..*export }
}

/// A buffer that never existed.
fn unknown(export: &Export) -> Export {
    Export { buffer: export.buffer + 100, ..*export }
}
