//! The core-clock side of the block: two flat memories behind the BARs, and two DMA engines that
//! keep to the handshakes.

use crate::BenchPci;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// The size of BAR 0 in bytes.
pub const BAR0_BYTES: usize = 0x2_0000;
/// The size of BAR 1 in bytes.
pub const SRAM_BYTES: usize = 524_288;

/// The end of a DMA command (`nic_pkg::pci_status_e`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DmaStatus {
    /// All bytes have moved.
    Ok,
    /// No target claimed the address (PCI 2.2, 3.3.3.1).
    MasterAbort,
    /// The target ended the transaction for good (PCI 2.2, 3.3.3.2).
    TargetAbort,
    /// The parity of data was wrong.
    ParityError,
    /// The command register does not permit the NIC to be a master.
    Disabled,
    /// The target gave as many retries in a row as the configuration register RETRY_LIMIT says.
    RetryLimit,
    /// The engine was reset.
    Stopped,
}

impl DmaStatus {
    fn decode(code: u8) -> DmaStatus {
        match code {
            0 => DmaStatus::Ok,
            1 => DmaStatus::MasterAbort,
            2 => DmaStatus::TargetAbort,
            3 => DmaStatus::ParityError,
            4 => DmaStatus::Disabled,
            5 => DmaStatus::RetryLimit,
            6 => DmaStatus::Stopped,
            other => panic!("{other} is no pci_status_e"),
        }
    }
}

/// The pulses of the `stat_*_o` ports so far.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Words of 32 bits that the NIC accepted as a target.
    pub target_writes: u64,
    /// Words of 32 bits that the NIC delivered as a target.
    pub target_reads: u64,
    /// Transactions that the NIC ended with a retry.
    pub target_retries: u64,
    /// Delayed reads whose answer was discarded, since the master did not repeat them in time.
    pub target_discards: u64,
    /// Transactions that the NIC began.
    pub master_transactions: u64,
    /// Transactions of the NIC that the target ended with a retry.
    pub master_retries: u64,
    /// Transactions of the NIC that the target disconnected.
    pub master_disconnects: u64,
    /// Transactions of the NIC that its latency timer ended.
    pub master_timeouts: u64,
    /// Master aborts of the NIC.
    pub master_aborts: u64,
    /// Target aborts that the NIC received.
    pub target_aborts: u64,
    /// Parity errors that the NIC found.
    pub parity_errors: u64,
}

/// The result of a host read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReadResult {
    /// The end of the command.
    pub status: DmaStatus,
    /// The bytes of the command's range; after an error, the bytes that came before it.
    pub bytes: Vec<u8>,
}

#[derive(Debug)]
struct ReadJob {
    addr: u32,
    len_bytes: u16,
    accepted: bool,
    words: Vec<u64>,
    status: Option<DmaStatus>,
}

#[derive(Debug)]
struct WriteJob {
    addr: u32,
    len_bytes: u16,
    accepted: bool,
    words: VecDeque<u64>,
    status: Option<DmaStatus>,
}

/// An answer on its way to the target.
#[derive(Debug)]
struct Answering {
    due_clock: u64,
    dwords: VecDeque<u32>,
}

/// The memories and the DMA engines at the core-clock ports of `nic_pci`.
pub struct CoreSide {
    /// The contents of BAR 0.
    pub registers: Vec<u8>,
    /// The contents of BAR 1.
    pub sram: Vec<u8>,
    /// The clocks from a read request to its first answer.
    pub answer_clocks: u64,
    /// The chance, in 256ths, that a handshake of this side waits for a clock.
    pub stall: u8,
    /// Whether no request is taken.
    pub hold_requests: bool,
    /// The pulses of the `stat_*_o` ports so far.
    pub counts: Counts,
    /// The level of the interrupt request.
    pub irq: bool,
    /// The levels of the stops of host reads and host writes.
    pub stops: [bool; 2],
    /// Whether the master has said that it has seen each of them.
    pub stops_seen: [bool; 2],
    clock: u64,
    rng: ChaCha8Rng,
    answers: VecDeque<Answering>,
    read: Option<ReadJob>,
    write: Option<WriteJob>,
    /// The core clocks in which a read command was accepted, its first word came, and its last word
    /// came.
    pub read_clocks: [u64; 3],
}

impl CoreSide {
    pub(crate) fn new(seed: u64) -> CoreSide {
        CoreSide {
            registers: vec![0; BAR0_BYTES],
            sram: vec![0; SRAM_BYTES],
            answer_clocks: 3,
            stall: 0,
            hold_requests: false,
            counts: Counts::default(),
            irq: false,
            stops: [false; 2],
            stops_seen: [false; 2],
            clock: 0,
            rng: ChaCha8Rng::seed_from_u64(seed),
            answers: VecDeque::new(),
            read: None,
            write: None,
            read_clocks: [0; 3],
        }
    }

    /// Starts a host read. Panics if one is outstanding.
    pub fn start_read(&mut self, addr: u32, len_bytes: u16) {
        assert!(self.read.is_none(), "one command per engine is outstanding");
        self.read = Some(ReadJob { addr, len_bytes, accepted: false, words: Vec::new(), status: None });
    }

    /// Starts a host write. Panics if one is outstanding.
    pub fn start_write(&mut self, addr: u32, bytes: &[u8]) {
        assert!(self.write.is_none(), "one command per engine is outstanding");
        // Bytes beside the range must never appear on the bus: they have a value that is easy to
        // recognise.
        let offset = (addr & 7) as usize;
        let mut padded = vec![0xEE; offset];
        padded.extend_from_slice(bytes);
        padded.resize(padded.len().next_multiple_of(8), 0xEE);
        let words = padded.chunks(8).map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes"))).collect();
        self.write = Some(WriteJob { addr, len_bytes: bytes.len() as u16, accepted: false, words, status: None });
    }

    /// The result of the host read, if it has ended.
    pub fn take_read(&mut self) -> Option<ReadResult> {
        let status = self.read.as_ref()?.status?;
        let job = self.read.take()?;
        let offset = (job.addr & 7) as usize;
        let bytes = job.words.iter().flat_map(|word| word.to_le_bytes()).skip(offset).take(job.len_bytes as usize);
        Some(ReadResult { status, bytes: bytes.collect() })
    }

    /// The status of the host write, if it has ended. Panics if data words are left.
    pub fn take_write(&mut self) -> Option<DmaStatus> {
        let status = self.write.as_ref()?.status?;
        let job = self.write.take()?;
        assert!(job.words.is_empty(), "done came while {} words were still to be taken", job.words.len());
        Some(status)
    }

    /// Breaks the contract: gives an answer that no read has asked for.
    pub fn answer_unasked(&mut self, dwords: &[u32]) {
        self.answers.push_back(Answering { due_clock: 0, dwords: dwords.iter().copied().collect() });
    }

    /// Drops all commands and answers, as a reset does.
    pub fn forget_jobs(&mut self) {
        self.read = None;
        self.write = None;
        self.answers.clear();
    }

    fn go(&mut self) -> bool {
        self.stall == 0 || self.rng.next_u32() as u8 >= self.stall
    }

    /// Performs the handshakes that complete at this clock edge. It must be called while the model
    /// has its values before the edge.
    pub(crate) fn before_edge(&mut self, model: &BenchPci) {
        self.clock += 1;
        if !model.rst_core_no.is_high() || model.pci_rst_ni.get() == 0 {
            self.answers.clear();
            return;
        }
        self.count(model);
        self.stops_seen = [model.dma_read_stop_ack_o.is_high(), model.dma_write_stop_ack_o.is_high()];
        if model.host_req_valid_o.is_high() && model.host_req_ready_i.get() != 0 {
            self.host_request(model);
        }
        if let Some(job) = &mut self.read {
            job.accepted |= model.dma_read_cmd_valid_i.get() != 0 && model.dma_read_cmd_ready_o.is_high();
            if model.dma_read_cmd_valid_i.get() != 0 && job.accepted {
                self.read_clocks[0] = self.clock;
            }
        }
        if model.dma_read_beat_valid_o.is_high() && model.dma_read_beat_ready_i.get() != 0 {
            let job = self.read.as_mut().expect("a beat belongs to a command");
            assert!(job.accepted && job.status.is_none(), "a beat outside its command");
            let status = DmaStatus::decode(model.dma_read_beat_status_o.get());
            let last = model.dma_read_beat_last_o.is_high();
            if job.words.is_empty() {
                self.read_clocks[1] = self.clock;
            }
            if !last || status == DmaStatus::Ok {
                job.words.push(model.dma_read_beat_data_o.get());
            }
            if last {
                self.read_clocks[2] = self.clock;
                job.status = Some(status);
                let words = ((job.addr & 7) as usize + job.len_bytes as usize).div_ceil(8);
                assert!(status != DmaStatus::Ok || job.words.len() == words, "{} of {words} beats", job.words.len());
            }
        }
        if let Some(job) = &mut self.write {
            job.accepted |= model.dma_write_cmd_valid_i.get() != 0 && model.dma_write_cmd_ready_o.is_high();
            if model.dma_write_data_valid_i.get() != 0 && model.dma_write_data_ready_o.is_high() {
                job.words.pop_front();
            }
        }
        if model.dma_write_done_valid_o.is_high() {
            let job = self.write.as_mut().expect("done belongs to a command");
            assert!(job.accepted && job.status.is_none(), "done outside its command");
            job.status = Some(DmaStatus::decode(model.dma_write_done_status_o.get()));
        }
    }

    /// Drives the inputs of the model after the edge.
    pub(crate) fn after_edge(&mut self, model: &BenchPci) {
        model.irq_i.set_bool(self.irq);
        model.dma_read_stop_i.set_bool(self.stops[0]);
        model.dma_write_stop_i.set_bool(self.stops[1]);
        let running = model.rst_core_no.is_high();

        let take = !self.hold_requests && self.go();
        model.host_req_ready_i.set_bool(take);
        let clock = self.clock;
        let go = self.go();
        let due = self.answers.front_mut().filter(|answer| running && answer.due_clock <= clock && go);
        model.host_rsp_valid_i.set_bool(due.is_some());
        if let Some(answer) = due {
            model.host_rsp_data_i.set(answer.dwords.pop_front().expect("answers are not empty"));
            model.host_rsp_last_i.set_bool(answer.dwords.is_empty());
            if answer.dwords.is_empty() {
                self.answers.pop_front();
            }
        }

        let command = self.read.as_ref().filter(|job| running && !job.accepted);
        model.dma_read_cmd_valid_i.set_bool(command.is_some());
        if let Some(job) = command {
            model.dma_read_cmd_addr_i.set(job.addr);
            model.dma_read_cmd_len_bytes_i.set(job.len_bytes);
        }
        let ready = self.go();
        model.dma_read_beat_ready_i.set_bool(ready);

        let command = self.write.as_ref().filter(|job| running && !job.accepted);
        model.dma_write_cmd_valid_i.set_bool(command.is_some());
        if let Some(job) = command {
            model.dma_write_cmd_addr_i.set(job.addr);
            model.dma_write_cmd_len_bytes_i.set(job.len_bytes);
        }
        // An offered word stays offered until it is taken.
        let offered = model.dma_write_data_valid_i.get() != 0 && !model.dma_write_data_ready_o.is_high();
        let offer = offered || self.go();
        let word = self.write.as_ref().filter(|_| running && offer).and_then(|job| job.words.front());
        model.dma_write_data_valid_i.set_bool(word.is_some());
        if let Some(&word) = word {
            model.dma_write_data_i.set(word);
        }
    }

    fn host_request(&mut self, model: &BenchPci) {
        let (space, space_bytes) = if model.host_req_sram_o.is_high() {
            (&mut self.sram, SRAM_BYTES)
        } else {
            (&mut self.registers, BAR0_BYTES)
        };
        let addr = model.host_req_addr_o.get() as usize;
        let be = model.host_req_be_o.get();
        if model.host_req_we_o.is_high() {
            assert!(be != 0, "a write without bytes");
            let data = model.host_req_wdata_o.get().to_le_bytes();
            for (k, byte) in data.into_iter().enumerate().filter(|(k, _)| be >> k & 1 != 0) {
                space[addr + k] = byte;
            }
            return;
        }
        let count = model.host_req_read_dwords_o.get() as usize;
        assert!((1..=8).contains(&count) && addr + 4 * count <= space_bytes, "{count} dwords from {addr:#x}");
        assert!(count == 1 || model.host_req_sram_o.is_high(), "registers are not prefetched");
        let dwords = space[addr..addr + 4 * count].chunks(4);
        let dwords = dwords.map(|dword| u32::from_le_bytes(dword.try_into().expect("4 bytes"))).collect();
        self.answers.push_back(Answering { due_clock: self.clock + self.answer_clocks, dwords });
    }

    fn count(&mut self, model: &BenchPci) {
        let counts = &mut self.counts;
        counts.target_writes += u64::from(model.stat_target_writes_o.get());
        counts.target_reads += u64::from(model.stat_target_reads_o.get());
        counts.target_retries += u64::from(model.stat_target_retries_o.get());
        counts.target_discards += u64::from(model.stat_target_discards_o.get());
        counts.master_transactions += u64::from(model.stat_master_transactions_o.get());
        counts.master_retries += u64::from(model.stat_master_retries_o.get());
        counts.master_disconnects += u64::from(model.stat_master_disconnects_o.get());
        counts.master_timeouts += u64::from(model.stat_master_timeouts_o.get());
        counts.master_aborts += u64::from(model.stat_master_aborts_o.get());
        counts.target_aborts += u64::from(model.stat_target_aborts_o.get());
        counts.parity_errors += u64::from(model.stat_parity_errors_o.get());
    }
}
