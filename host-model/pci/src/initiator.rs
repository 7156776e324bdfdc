//! From CPU accesses to transactions on the bus: posting, ordering, repetition.
//!
//! Order (PCI 2.3, section 3.2.5 and appendix E). Posted writes reach the bus in the order of
//! submission. A read, or a configuration write, goes when every write submitted before it has
//! left. Once it has been retried, writes submitted later may pass it, one for each retry, so that
//! a target that must take a write before it can answer does not wait for ever.

use crate::delivery::Deliveries;
use crate::master::{Burst, BurstEnd, BurstReport, Master};
use crate::write_buffer::WriteBuffer;
use crate::{
    Answer, BusAddr, BusError, Command, Completion, Incident, ReadKind, Settings, Transaction, TransactionId, Word,
};
use sim_pins::Ps;
use std::collections::VecDeque;

/// A transaction that completes only on the bus.
#[derive(Debug)]
struct Waiting {
    id: TransactionId,
    command: Command,
    address: BusAddr,
    idsel: bool,
    words: Vec<Word>,
    done: usize,
    retries: u32,
    bad_parity: bool,
    /// Goes when the write buffer has flushed this serial number.
    fence: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Job {
    Write,
    Wait,
}

/// A transaction whose data have moved, and whose parity is not yet known.
#[derive(Debug)]
struct Settling {
    /// `None` for a posted write.
    id: Option<TransactionId>,
    /// Number of the entry in the write buffer that holds the posted write.
    serial: u64,
    addr: BusAddr,
    answer: Answer,
    bad_parity: bool,
    clocks_left: u8,
}

#[derive(Debug)]
pub(crate) struct Initiator {
    incoming: VecDeque<(TransactionId, Transaction)>,
    /// Words of the first incoming write that are in the buffer already.
    entered: usize,
    pub writes: WriteBuffer,
    waiting: VecDeque<Waiting>,
    in_flight: Option<Job>,
    last_job: Job,
    /// A later write has its turn before the retried read.
    write_turn: bool,
    settling: Option<Settling>,
    completions: VecDeque<Completion>,
    pub deliveries: Deliveries,
    submitted: u64,
}

impl Initiator {
    pub fn new(settings: &Settings) -> Initiator {
        Initiator {
            incoming: VecDeque::new(),
            entered: 0,
            writes: WriteBuffer::new(settings.posted_write_lines, settings.write_combining),
            waiting: VecDeque::new(),
            in_flight: None,
            last_job: Job::Wait,
            write_turn: false,
            settling: None,
            completions: VecDeque::new(),
            deliveries: Deliveries::new(settings.reports_deliveries),
            submitted: 0,
        }
    }

    pub fn submit(&mut self, transaction: Transaction) -> TransactionId {
        match &transaction {
            Transaction::MemoryRead { addr, dwords, .. } => {
                assert!(addr.0 & 3 == 0 && *dwords > 0, "memory reads are of one or more aligned dwords");
            }
            Transaction::MemoryWrite { addr, words } => {
                assert!(addr.0 & 3 == 0 && !words.is_empty(), "memory writes are of one or more aligned dwords");
            }
            Transaction::ConfigRead { device, register, .. } | Transaction::ConfigWrite { device, register, .. } => {
                assert!(*device < 16 && register & 3 == 0, "configuration: devices 0 to 15, aligned dwords");
            }
        }
        self.submitted += 1;
        let id = TransactionId(self.submitted);
        self.incoming.push_back((id, transaction));
        id
    }

    pub fn submitted_count(&self) -> u64 {
        self.submitted
    }

    pub fn next_completion(&mut self) -> Option<Completion> {
        self.completions.pop_front()
    }

    pub fn is_idle(&self) -> bool {
        self.incoming.is_empty()
            && self.writes.is_empty()
            && self.waiting.is_empty()
            && self.in_flight.is_none()
            && self.settling.is_none()
    }

    /// Lets submitted transactions into the buffer and the queue.
    pub fn take_in(&mut self, at: Ps, settings: &Settings) {
        while let Some((id, transaction)) = self.incoming.front() {
            let id = *id;
            if let (Transaction::MemoryWrite { addr, words }, true) = (transaction, settings.posted_write_lines > 0) {
                let addr = *addr + 4 * self.entered as u32;
                let (taken, first_serial) = self.writes.accept(addr, &words[self.entered..]);
                self.entered += taken;
                let all = self.entered == words.len();
                if taken > 0 {
                    let last_serial = all.then(|| self.writes.last_serial());
                    self.deliveries.entered(id, first_serial, last_serial);
                }
                if !all {
                    return;
                }
                self.entered = 0;
                self.completions.push_back(Completion { id, at, result: Ok(Answer::Posted) });
                self.incoming.pop_front();
                continue;
            }
            self.writes.close();
            let fence = self.writes.last_serial();
            if let Some((id, transaction)) = self.incoming.pop_front() {
                self.waiting.push_back(Waiting::new(id, transaction, fence, settings));
            }
        }
    }

    /// Gives the master its next burst, if it is free and there is one.
    pub fn feed(&mut self, master: &mut Master, settings: &Settings) {
        if self.in_flight.is_some() || !master.is_free() {
            return;
        }
        let ready = self.waiting.front().filter(|waiting| self.writes.has_flushed(waiting.fence));
        let write_first = match (ready, self.writes.front()) {
            (None, None) => return,
            (None, Some(_)) => true,
            (Some(_), None) => false,
            (Some(_), Some(_)) => self.write_turn && settings.writes_pass_retried_reads,
        };
        if write_first {
            let Some(entry) = self.writes.front_mut() else {
                return;
            };
            entry.closed = true;
            let burst = Burst { command: Command::MemoryWrite, address: entry.addr, idsel: false, ask_64: false };
            master.load(burst, entry.words().iter().copied());
            self.in_flight = Some(Job::Write);
        } else if let Some(waiting) = ready {
            let address = waiting.address + 4 * waiting.done as u32;
            let burst = Burst { command: waiting.command, address, idsel: waiting.idsel, ask_64: false };
            master.load(burst, waiting.words[waiting.done..].iter().copied());
            self.in_flight = Some(Job::Wait);
        }
    }

    /// Wrong parity of data that moved in the current or the last transaction of the bridge.
    pub fn note_bad_parity(&mut self) {
        if let Some(settling) = &mut self.settling {
            settling.bad_parity = true;
        } else if self.in_flight.unwrap_or(self.last_job) == Job::Write {
            if let Some(entry) = self.writes.front_mut() {
                entry.bad_parity = true;
            }
        } else if let Some(waiting) = self.waiting.front_mut() {
            waiting.bad_parity = true;
        }
    }

    /// One clock nearer to knowing the parity of what has ended.
    pub fn settle(&mut self, at: Ps, incidents: &mut Vec<Incident>) {
        let Some(settling) = &mut self.settling else {
            return;
        };
        settling.clocks_left -= 1;
        if settling.clocks_left > 0 {
            return;
        }
        let Some(Settling { id, serial, addr, answer, bad_parity, .. }) = self.settling.take() else {
            return;
        };
        match id {
            Some(id) => {
                let result = if bad_parity { Err(BusError::Parity) } else { Ok(answer) };
                self.completions.push_back(Completion { id, at, result });
            }
            None if bad_parity => self.lose(at, serial, addr, BusError::Parity, incidents),
            None => self.deliveries.left(at, serial, Ok(())),
        }
    }

    /// A posted write failed.
    fn lose(&mut self, at: Ps, serial: u64, addr: BusAddr, error: BusError, incidents: &mut Vec<Incident>) {
        incidents.push(Incident::PostedWriteLost { at, addr, error });
        self.deliveries.left(at, serial, Err(error));
    }

    /// Books the end of a transaction on the bus.
    pub fn ended(
        &mut self,
        at: Ps,
        report: BurstReport,
        master: &Master,
        settings: &Settings,
        incidents: &mut Vec<Incident>,
    ) {
        let Some(job) = self.in_flight.take() else {
            return;
        };
        self.last_job = job;
        self.write_turn = job == Job::Wait && report.end == BurstEnd::Retry;
        match job {
            Job::Write => self.write_ended(at, report, settings, incidents),
            Job::Wait => self.wait_ended(at, report, master.words(), settings),
        }
    }

    fn write_ended(&mut self, at: Ps, report: BurstReport, settings: &Settings, incidents: &mut Vec<Incident>) {
        let Some(entry) = self.writes.front_mut() else {
            return;
        };
        if let Some(error) = count_retry(report.end, &mut entry.retries, settings) {
            let addr = entry.addr + 4 * report.words as u32;
            let serial = entry.serial;
            self.writes.pop();
            self.lose(at, serial, addr, error, incidents);
            return;
        }
        if report.end == BurstEnd::Done {
            let (serial, addr, bad_parity) = (entry.serial, entry.addr, entry.bad_parity);
            self.writes.pop();
            // PERR# comes two clocks after the data.
            self.settling =
                Some(Settling { id: None, serial, addr, answer: Answer::Posted, bad_parity, clocks_left: 2 });
        } else {
            entry.advance(report.words);
        }
    }

    fn wait_ended(&mut self, at: Ps, report: BurstReport, moved: &[Word], settings: &Settings) {
        let Some(waiting) = self.waiting.front_mut() else {
            return;
        };
        let is_read = waiting.command.is_read();
        if is_read {
            waiting.words[waiting.done..][..report.words].copy_from_slice(&moved[..report.words]);
        }
        waiting.done += report.words;
        let error = count_retry(report.end, &mut waiting.retries, settings);
        if error.is_none() && report.end != BurstEnd::Done {
            return;
        }
        let Some(Waiting { id, address, words, bad_parity, .. }) = self.waiting.pop_front() else {
            return;
        };
        if let Some(error) = error {
            self.completions.push_back(Completion { id, at, result: Err(error) });
            return;
        }
        let answer = if is_read { Answer::Read(words.iter().map(|word| word.data).collect()) } else { Answer::Written };
        // PAR comes one clock after the data, PERR# two.
        let clocks_left = if is_read { 1 } else { 2 };
        self.settling = Some(Settling { id: Some(id), serial: 0, addr: address, answer, bad_parity, clocks_left });
    }

    /// RST#: whatever is not complete fails.
    pub fn reset(&mut self, at: Ps) {
        let mut lost: Vec<TransactionId> = self.settling.take().and_then(|settling| settling.id).into_iter().collect();
        lost.extend(self.waiting.drain(..).map(|waiting| waiting.id));
        lost.extend(self.incoming.drain(..).map(|(id, _)| id));
        self.completions.extend(lost.into_iter().map(|id| Completion { id, at, result: Err(BusError::Reset) }));
        self.writes.clear();
        self.deliveries.reset(at);
        self.entered = 0;
        self.in_flight = None;
        self.write_turn = false;
    }
}

/// The error that ends a transaction for good, if this end is one.
fn count_retry(end: BurstEnd, retries: &mut u32, settings: &Settings) -> Option<BusError> {
    match end {
        BurstEnd::MasterAbort => Some(BusError::MasterAbort),
        BurstEnd::TargetAbort => Some(BusError::TargetAbort),
        BurstEnd::Retry => {
            *retries += 1;
            (*retries > settings.retry_limit).then_some(BusError::RetryLimit)
        }
        BurstEnd::Done | BurstEnd::Disconnect | BurstEnd::TimerExpired => {
            *retries = 0;
            None
        }
    }
}

impl Waiting {
    fn new(id: TransactionId, transaction: Transaction, fence: u64, settings: &Settings) -> Waiting {
        let (command, address, idsel, words) = match transaction {
            Transaction::ConfigRead { device, function, register } => {
                let address = config_address(device, function, register);
                (Command::ConfigRead, address, device == settings.nic_device, vec![Word::full(0)])
            }
            Transaction::ConfigWrite { device, function, register, data, byte_enables } => {
                let address = config_address(device, function, register);
                (Command::ConfigWrite, address, device == settings.nic_device, vec![Word { data, byte_enables }])
            }
            Transaction::MemoryRead { addr, dwords, kind } => {
                let command = match kind {
                    ReadKind::Plain => Command::MemoryRead,
                    ReadKind::Line => Command::MemoryReadLine,
                    ReadKind::Multiple => Command::MemoryReadMultiple,
                };
                (command, addr, false, vec![Word::full(0); dwords])
            }
            Transaction::MemoryWrite { addr, words } => (Command::MemoryWrite, addr, false, words),
        };
        Waiting { id, command, address, idsel, words, done: 0, retries: 0, bad_parity: false, fence }
    }
}

/// Type 0: one of AD[31:16] selects the device through its IDSEL, AD[1:0] = 00 (PCI 2.3, section
/// 3.2.2.3).
fn config_address(device: u8, function: u8, register: u8) -> BusAddr {
    BusAddr(0x1_0000 << device | u32::from(function & 7) << 8 | u32::from(register & 0xFC))
}
