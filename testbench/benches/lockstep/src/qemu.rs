//! Runs QEMU, and reads the registers before each instruction.
//!
//! The machine `none` has a processor and memory at address 0, and no devices. `-singlestep` puts
//! each instruction into a block of its own. `-d cpu` writes the registers before each block, in
//! records of equal length.

use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdout, Command, Stdio};

use tempfile::NamedTempFile;

use crate::image::{Image, MEMORY_BYTES, START};
use crate::isa::Isa;

/// The name of the program.
pub const PROGRAM: &str = "qemu-system-riscv32";

/// The registers before an instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct State {
    /// The address of the instruction.
    pub pc: u32,
    /// The registers.
    pub x: [u32; 32],
    /// The CSR `mstatus`.
    pub mstatus: u32,
    /// The CSR `mie`.
    pub mie: u32,
    /// The CSR `mtvec`.
    pub mtvec: u32,
    /// The CSR `mepc`.
    pub mepc: u32,
    /// The CSR `mcause`.
    pub mcause: u32,
}

/// QEMU failed, or its log cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum QemuError {
    /// QEMU cannot be started.
    #[error("cannot run {PROGRAM}: {0}; tools/setup.sh installs it (Debian package qemu-system-misc)")]
    Start(io::Error),
    /// QEMU has ended: its last words.
    #[error("{PROGRAM} ended: {0}")]
    Ended(String),
    /// A record cannot be read: its text.
    #[error("{PROGRAM} wrote something that is no register file:\n{0}")]
    Garbled(String),
    /// QEMU repeats one record.
    #[error("{PROGRAM} does not go on:\n{0}")]
    Stuck(String),
    /// The image cannot be written to a file.
    #[error("the image for {PROGRAM}: {0}")]
    Image(io::Error),
}

/// The offsets of the values in a record, in bytes.
struct Layout {
    len_bytes: usize,
    x: [usize; 32],
    pc: usize,
    mstatus: usize,
    mie: usize,
    mtvec: usize,
    mepc: usize,
    mcause: usize,
}

/// The number of equal records in a row after which QEMU counts as caught in a jump to itself.
const REPEATED_MOST: u32 = 1000;

const FIRST: &str = " pc       ";

impl Layout {
    /// Finds the values in a text that holds one record and the start of the next.
    fn find(text: &str) -> Option<Layout> {
        let len_bytes = text.get(1..)?.find(FIRST)? + 1;
        let record = &text[..len_bytes];
        let value = |name: &str| record.find(&format!(" {name} ")).map(|at| at + 1 + name.len().max(8) + 1);
        let mut x = [0; 32];
        for (number, place) in x.iter_mut().enumerate() {
            *place = record.find(&format!(" x{number}/"))? + 10;
        }
        Some(Layout {
            len_bytes,
            x,
            pc: value("pc")?,
            mstatus: value("mstatus")?,
            mie: value("mie")?,
            mtvec: value("mtvec")?,
            mepc: value("mepc")?,
            mcause: value("mcause")?,
        })
    }

    fn state(&self, record: &[u8]) -> Option<State> {
        if !record.starts_with(FIRST.as_bytes()) {
            return None;
        }
        let mut x = [0; 32];
        for (value, place) in x.iter_mut().zip(&self.x) {
            *value = hex(record, *place)?;
        }
        Some(State {
            pc: hex(record, self.pc)?,
            x,
            mstatus: hex(record, self.mstatus)?,
            mie: hex(record, self.mie)?,
            mtvec: hex(record, self.mtvec)?,
            mepc: hex(record, self.mepc)?,
            mcause: hex(record, self.mcause)?,
        })
    }
}

fn hex(record: &[u8], at: usize) -> Option<u32> {
    record.get(at..at + 8)?.iter().try_fold(0u32, |value, digit| Some(value << 4 | (*digit as char).to_digit(16)?))
}

/// A running process of QEMU.
pub struct Qemu {
    child: Child,
    log: BufReader<ChildStdout>,
    said: ChildStderr,
    layout: Option<Layout>,
    record: Vec<u8>,
    before: Vec<u8>,
    /// Bytes that were read while the length of a record was not known.
    pushed_back: Vec<u8>,
    /// The file of the image, which QEMU reads when it starts.
    _image: NamedTempFile,
}

impl Qemu {
    /// Starts QEMU with an image. It stands before the first instruction.
    pub fn start(image: &Image, isa: &Isa) -> Result<Qemu, QemuError> {
        let mut file = NamedTempFile::new().map_err(QemuError::Image)?;
        file.write_all(&image.qemu).map_err(QemuError::Image)?;
        let b = isa.bitmanip;
        let cpu = format!(
            "rv32,a=false,f=false,d=false,h=false,s=false,u=false,mmu=false,pmp=false,debug=false,\
             zba={b},zbb={b},zbc=false,zbs={b},marchid=0,mimpid={},resetvec={START}",
            isa.mimpid
        );
        let mut child = Command::new(PROGRAM)
            .args(["-M", "none", "-nodefaults", "-nographic", "-monitor", "none", "-serial", "none", "-singlestep"])
            .args(["-m", &format!("{}k", MEMORY_BYTES / 1024), "-cpu", &cpu, "-d", "cpu", "-D", "/dev/stdout"])
            .arg("-device")
            .arg(format!("loader,file={},addr=0,force-raw=on", file.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(QemuError::Start)?;
        let log = BufReader::with_capacity(1 << 18, child.stdout.take().expect("piped"));
        let said = child.stderr.take().expect("piped");
        Ok(Qemu {
            child,
            log,
            said,
            layout: None,
            record: Vec::new(),
            before: Vec::new(),
            pushed_back: Vec::new(),
            _image: file,
        })
    }

    /// The registers before the next instruction. QEMU logs a block twice if it had to leave the
    /// block before the instruction; the second record is dropped. So an instruction that changes
    /// nothing, a jump to itself, appears once.
    pub fn next_state(&mut self) -> Result<State, QemuError> {
        if self.layout.is_none() {
            self.find_layout()?;
        }
        self.fill()?;
        let mut repeated = 0;
        while self.record == self.before {
            repeated += 1;
            if repeated > REPEATED_MOST {
                return Err(QemuError::Stuck(String::from_utf8_lossy(&self.record).into_owned()));
            }
            self.fill()?;
        }
        std::mem::swap(&mut self.record, &mut self.before);
        let layout = self.layout.as_ref().expect("found above");
        layout.state(&self.before).ok_or_else(|| QemuError::Garbled(String::from_utf8_lossy(&self.before).into_owned()))
    }

    fn find_layout(&mut self) -> Result<(), QemuError> {
        // Two records are longer than one, whatever QEMU writes into them.
        let mut text = vec![0; 4096];
        self.log.read_exact(&mut text).or_else(|error| self.ended(error))?;
        let garbled = || QemuError::Garbled(String::from_utf8_lossy(&text).into_owned());
        let layout = Layout::find(std::str::from_utf8(&text).map_err(|_| garbled())?).ok_or_else(garbled)?;
        self.record = vec![0; layout.len_bytes];
        self.before = vec![0; layout.len_bytes];
        self.layout = Some(layout);
        self.pushed_back = text;
        Ok(())
    }

    fn fill(&mut self) -> Result<(), QemuError> {
        let from_before = self.pushed_back.len().min(self.record.len());
        let (old, new) = self.record.split_at_mut(from_before);
        old.copy_from_slice(&self.pushed_back[..from_before]);
        self.pushed_back.drain(..from_before);
        match self.log.read_exact(new) {
            Ok(()) => Ok(()),
            Err(error) => self.ended(error),
        }
    }

    fn ended(&mut self, error: io::Error) -> Result<(), QemuError> {
        let mut said = String::new();
        // The error holds the last output of QEMU. If that cannot be read, the error stands alone.
        let _ = self.child.kill();
        let _ = self.said.read_to_string(&mut said);
        Err(QemuError::Ended(format!("{error}; {}", said.trim())))
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        // QEMU runs for ever in the jump that ends the image. An error here means that it has ended
        // already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str =
        " pc       00001004\n mstatus  00001800\n mstatush 00000000\n mip      00000000\n mie      00000800\n \
                          mtvec    00001101\n mepc     0000100c\n mcause   00000005\n mtval    f0000000\n";

    fn text() -> String {
        let mut text = RECORD.to_owned();
        for number in 0..32 {
            let name = format!("x{number}/t0");
            text += &format!(" {name:8} {:08x}", 0x1111_0000 + number);
        }
        text + "\n"
    }

    #[test]
    fn values_are_found_by_their_names() {
        let two = text() + &text();
        let layout = Layout::find(&two).unwrap();
        assert_eq!(layout.len_bytes, text().len());
        let state = layout.state(text().as_bytes()).unwrap();
        assert_eq!((state.pc, state.mstatus, state.mie, state.mtvec), (0x1004, 0x1800, 0x800, 0x1101));
        assert_eq!((state.mepc, state.mcause, state.x[31]), (0x100C, 5, 0x1111_001F));
    }

    #[test]
    fn a_text_without_a_second_record_is_no_layout() {
        assert!(Layout::find(&text()).is_none());
    }
}
