//! Which values of a scenario contradict each other or are out of their range.

use nic_layout::nodes::NODES_MAX;
use nic_layout::post::INLINE_BYTES_MAX;
use nic_plan::HELD_FRAMES_LIMIT;
use page_traces::Pattern;

use super::{program, MissService, MissedCache, MissedSide, Scenario, WorkloadKind, MESSAGES_MAX};
use crate::error::Result;
use crate::request_error;

/// No message of a program goes beyond the first half of its page.
const PROGRAM_BYTES_MAX: u32 = 2048;

impl Scenario {
    /// Refuses what is wrong whatever the platform.
    pub(super) fn check(&self) -> Result<()> {
        self.geometry()?;
        self.key_width()?;
        if self.platforms.is_empty() {
            return Err(request_error!("platforms = []: name at least one (see `nicscope list`)"));
        }
        self.check_nodes()?;
        if !(1..=2).contains(&self.cores) {
            return Err(request_error!("cores = {}: must be 1 or 2", self.cores));
        }
        if self.cores == 2 && self.personality.image_of_core_b.is_none() {
            return Err(request_error!(
                "cores = 2: personality {:?} has an image for one core only",
                self.personality.name
            ));
        }
        self.check_workload()?;
        self.nic.check(self.has_caches())?;
        self.emp.check(self.personality.is_matched(), self.cores)?;
        if let Some(load) = &self.load {
            load.check()?;
        }
        self.check_program()?;
        self.check_restart()?;
        self.check_personality()?;
        self.check_misses()?;
        self.faults.check(self.links())?;
        if let Some(us) = self.link.retransmit_us.filter(|us| !(1..=1_000_000).contains(us)) {
            return Err(request_error!("link.retransmit_us = {us}: must be 1 to 1000000"));
        }
        if !(20..=1_000_000).contains(&self.link.latency_ns) {
            return Err(request_error!("link.latency_ns = {}: must be 20 to 1000000", self.link.latency_ns));
        }
        Ok(())
    }

    fn check_workload(&self) -> Result<()> {
        let workload = &self.workload;
        if workload.sizes_bytes.is_empty() {
            return Err(request_error!("workload.sizes_bytes = []: name at least one size in bytes"));
        }
        let sizes = &self.personality.message_bytes;
        if let Some(size) = workload.sizes_bytes.iter().find(|size| !sizes.contains(size)) {
            return Err(request_error!(
                "workload.sizes_bytes: {size}: must be {} to {} bytes",
                sizes.start(),
                sizes.end()
            ));
        }
        if workload.iterations == 0 {
            return Err(request_error!("workload.iterations = 0: must be at least 1"));
        }
        let messages = self.messages_per_node();
        let most = 2 * MESSAGES_MAX / self.nodes as u64;
        if messages > most {
            return Err(request_error!(
                "workload: {messages} messages of each node: sizes times warm_up and iterations must be at most {most}"
            ));
        }
        if workload.pio_bytes_max > INLINE_BYTES_MAX {
            return Err(request_error!("workload.pio_bytes_max = {}: must be 0 to 32", workload.pio_bytes_max));
        }
        if workload.outstanding == 0 || workload.outstanding > 64 {
            return Err(request_error!("workload.outstanding = {}: must be 1 to 64", workload.outstanding));
        }
        Ok(())
    }

    /// Whether the personality plays the workload.
    fn check_personality(&self) -> Result<()> {
        let kind = self.workload.kind;
        let personality = self.personality;
        if !personality.workloads.contains(&kind) {
            let names: Vec<String> = personality.workloads.iter().map(|kind| kind.name()).collect();
            let reason = match kind.needs_caches() && !personality.has_caches() {
                true => " has no caches, and",
                false => "",
            };
            return Err(request_error!(
                "personality = {:?}:{reason} does not play workload.kind = {:?}: must be one of {}, as in `nicscope run {} --set personality={}`",
                personality.name,
                kind.name(),
                names.join(", "),
                names[0],
                personality.name
            ));
        }
        Ok(())
    }

    fn check_misses(&self) -> Result<()> {
        let kind = self.workload.kind;
        if self.misses.ratios.is_empty() {
            return Err(request_error!("misses.ratios = []: name at least one ratio, as in [0.0]"));
        }
        let goes_where_it_likes = matches!(kind, WorkloadKind::Random | WorkloadKind::Pages);
        if goes_where_it_likes && self.misses.ratios != [0.0] {
            return Err(request_error!(
                "misses.ratios: random messages and pages of programs go where they like: must be [0.0] with workload.kind = \"random\" or \"pages\""
            ));
        }
        if kind.has_flows() && self.misses.ratios != [0.0] {
            return Err(request_error!(
                "misses.ratios: messages of workload.kind = {:?} go to places that stay in the caches: must be [0.0]",
                kind.name()
            ));
        }
        // A message of a ping-pong can find no receive.
        let is_refused = self.refuses_messages() && kind == WorkloadKind::PingPong;
        if !self.has_caches() && !is_refused && self.misses.ratios != [0.0] {
            return Err(request_error!(
                "misses.ratios: personality {:?} never misses: must be [0.0], as by --set misses.ratios=0.0",
                self.personality.name
            ));
        }
        let can_miss_there = self.workload.kind == WorkloadKind::PingPong && self.misses.cache == MissedCache::Vmh;
        let sends_by_dma = self.personality.is_matched() && self.misses.cache == MissedCache::Vmh;
        if self.misses.side == MissedSide::Send && !can_miss_there && !sends_by_dma {
            return Err(request_error!(
                "misses.side = \"send\": only translations, of messages of a ping-pong, are made to miss where they are sent from"
            ));
        }
        if self.personality.is_matched() && self.misses.cache == MissedCache::Cbh {
            return Err(request_error!(
                "misses.cache = \"cbh\": personality {:?} has no buffers",
                self.personality.name
            ));
        }
        if self.personality.is_matched() && self.misses.service == MissService::Nic {
            return Err(request_error!(
                "misses.service = \"nic\": with personality {:?} the host serves misses",
                self.personality.name
            ));
        }
        if self.misses.node >= self.nodes {
            return Err(request_error!("misses.node = {}: must be 0 to {}", self.misses.node, self.nodes - 1));
        }
        if self.misses.held_frames_max > HELD_FRAMES_LIMIT {
            return Err(request_error!(
                "misses.held_frames_max = {}: must be at most {HELD_FRAMES_LIMIT}",
                self.misses.held_frames_max
            ));
        }
        for ratio in &self.misses.ratios {
            if !(0.0..=1.0).contains(ratio) {
                return Err(request_error!("misses.ratios: {ratio}: must be 0 to 1"));
            }
        }
        Ok(())
    }

    /// The number of nodes, and what joins them.
    fn check_nodes(&self) -> Result<()> {
        let (nodes, kind) = (self.nodes, self.workload.kind);
        if !(2..=NODES_MAX).contains(&nodes) {
            return Err(request_error!("nodes = {nodes}: must be 2 to {NODES_MAX}"));
        }
        let personality = self.personality;
        if nodes > personality.nodes_max {
            return Err(request_error!(
                "nodes = {nodes}: must be 2 to {} with personality = {:?}",
                personality.nodes_max,
                personality.name
            ));
        }
        self.topology.check(nodes).map_err(|error| request_error!("{error}"))?;
        if kind == WorkloadKind::Pages && nodes != 2 {
            return Err(request_error!("nodes = {nodes}: must be 2 with workload.kind = \"pages\""));
        }
        if !kind.has_flows() && nodes % 2 != 0 {
            return Err(request_error!(
                "nodes = {nodes}: must be even with workload.kind = {:?}, which nodes 0 and 1, 2 and 3, ... play in pairs",
                kind.name()
            ));
        }
        Ok(())
    }

    fn check_restart(&self) -> Result<()> {
        let Some(restart) = self.restart.filter(|_| self.workload.kind == WorkloadKind::Restart) else {
            return match (self.restart, self.workload.kind) {
                (None, WorkloadKind::Restart) => Err(request_error!(
                    "restart is missing: workload.kind = \"restart\" needs restart.node and restart.after_us"
                )),
                (Some(_), _) => Err(request_error!("restart: only with workload.kind = \"restart\"")),
                (None, _) => Ok(()),
            };
        };
        if self.nodes != 2 {
            return Err(request_error!("nodes = {}: must be 2 with workload.kind = \"restart\"", self.nodes));
        }
        if restart.node >= self.nodes {
            return Err(request_error!("restart.node = {}: must be 0 to {}", restart.node, self.nodes - 1));
        }
        if !(1..=1_000_000).contains(&restart.after_us) {
            return Err(request_error!("restart.after_us = {}: must be 1 to 1000000", restart.after_us));
        }
        if self.workload.sizes_bytes.len() != 1 {
            return Err(request_error!("workload.sizes_bytes: must be one size with workload.kind = \"restart\""));
        }
        if self.misses.ratios != [0.0] {
            return Err(request_error!("misses.ratios: must be [0.0] with workload.kind = \"restart\""));
        }
        Ok(())
    }

    fn check_program(&self) -> Result<()> {
        let workload = &self.workload;
        let names = || Pattern::ALL.map(|pattern| pattern.name().to_lowercase()).join(", ");
        match (&workload.program, workload.kind) {
            (None, WorkloadKind::Pages) => {
                Err(request_error!("workload.program is missing: must be one of {}", names()))
            }
            (Some(name), WorkloadKind::Pages) if program(name).is_none() => {
                Err(request_error!("workload.program = {name:?}: must be one of {}", names()))
            }
            (Some(name), kind) if kind != WorkloadKind::Pages => {
                Err(request_error!("workload.program = {name:?}: only with workload.kind = \"pages\""))
            }
            (_, WorkloadKind::Pages)
                if workload.sizes_bytes.len() != 1
                    || !(INLINE_BYTES_MAX + 1..=PROGRAM_BYTES_MAX).contains(&workload.sizes_bytes[0]) =>
            {
                Err(request_error!(
                    "workload.sizes_bytes: must be one size from 33 to {PROGRAM_BYTES_MAX} bytes with workload.kind = \"pages\": smaller ones go with their post"
                ))
            }
            _ => Ok(()),
        }
    }
}
