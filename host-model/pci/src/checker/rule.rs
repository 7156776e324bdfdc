use sim_pins::Ps;
use std::fmt;

macro_rules! rules {
    ($($(#[$doc:meta])* $name:ident = $place:literal,)*) => {
        /// The rules that the checker knows. [`Rule::place`] tells where each is from: numbers of
        /// appendix C are those of its items in revision 2.2 of the PCI Local Bus Specification,
        /// `INV` numbers those of this project's invariants.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Rule {
            $($(#[$doc])* $name,)*
        }

        impl Rule {
            /// All rules, in the order in which they are declared.
            pub const ALL: &'static [Rule] = &[$(Rule::$name,)*];

            /// Where the rule is from: section or item of the standard, and the invariant.
            pub const fn place(self) -> &'static str {
                match self {
                    $(Rule::$name => $place,)*
                }
            }
        }
    };
}

rules! {
    // ---- Drivers --------------------------------------------------------------------------------
    /// No line has two drivers in one clock.
    OneDriver = "PCI 2.3, section 3.3; INV-1",
    /// A line that one agent drove floats for a clock before the other drives it.
    Turnaround = "PCI 2.3, section 3.3; INV-1",
    /// A sustained three-state line is driven high for a clock before it floats.
    SustainedHigh = "PCI 2.3, section 2.1; INV-1",
    /// FRAME#, IRDY#, DEVSEL#, TRDY# and STOP# float when their transaction is over.
    FloatsAfterwards = "PCI 2.3, appendix C, 12f; INV-1",
    /// While RST# is low the NIC drives nothing (REQ# excepted, which has no enable here).
    FloatsInReset = "PCI 2.3, section 2.2.1; INV-12",
    /// An agent with GNT# on an idle bus drives AD and C/BE# within 8 clocks, and PAR one clock
    /// later.
    ParkedDrives = "PCI 2.3, section 3.4.3",

    // ---- Arbitration ----------------------------------------------------------------------------
    /// FRAME# falls only after a clock with GNT# on an idle bus.
    FrameWithGrant = "PCI 2.3, section 3.4.1 and appendix C; INV-2",
    /// On an idle bus a clock passes between the GNT# of one agent and the GNT# of the other.
    GrantGap = "PCI 2.3, section 3.4.1",
    /// After STOP# the master takes REQ# away for two clocks, one of them the idle clock.
    RequestReleased = "PCI 2.3, appendix C, 8; INV-7",
    /// With GNT# gone and the latency timer run out, the next data phase is the last.
    LatencyTimerEnds = "PCI 2.3, section 3.5.4; INV-7",

    // ---- The master -----------------------------------------------------------------------------
    /// FRAME# goes high only with IRDY# low.
    FrameRisesWithIrdy = "PCI 2.3, appendix C, 6c",
    /// FRAME# does not fall again in the same transaction.
    FrameNotReasserted = "PCI 2.3, appendix C, 6b",
    /// With IRDY# low, FRAME# holds until the data phase completes.
    FrameHeld = "PCI 2.3, appendix C, 6d; INV-3",
    /// IRDY# holds until the data phase completes.
    IrdyHeld = "PCI 2.3, appendix C, 6d; INV-3",
    /// IRDY# goes high after the last data phase.
    IrdyReleased = "PCI 2.3, appendix C, 6e",
    /// IRDY# comes within 8 clocks of FRAME#, or of the data phase before.
    IrdyWithin8 = "PCI 2.3, appendix C, 27; INV-2",
    /// After STOP# the master raises FRAME# as soon as it has IRDY# low.
    EndsAfterStop = "PCI 2.3, appendix C, 12e",
    /// The command is one of those that exist, and not the dual address cycle, which this model
    /// does not know.
    CommandKnown = "PCI 2.3, section 3.1.1",
    /// Memory Write and Invalidate enables all bytes.
    InvalidateWholeWords = "PCI 2.3, section 3.1.1",

    // ---- The target -----------------------------------------------------------------------------
    /// DEVSEL#, TRDY# and STOP# are low only within a transaction.
    ResponseInTransaction = "PCI 2.3, appendix C, 28",
    /// TRDY# and STOP# come with DEVSEL# or later.
    DevselFirst = "PCI 2.3, appendix C, 29",
    /// DEVSEL# holds to the end, unless for target abort.
    DevselHeld = "PCI 2.3, appendix C, 30; INV-3",
    /// Target abort: DEVSEL#, seen before, goes high; STOP# is low; TRDY# is high.
    TargetAbortEncoding = "PCI 2.3, section 3.3.3.2.1",
    /// TRDY# and STOP#, once low, hold with DEVSEL# until the data phase completes.
    ResponseHeld = "PCI 2.3, appendix C, 12d; INV-3",
    /// STOP# stays low until FRAME# is high.
    StopHeld = "PCI 2.3, appendix C, 12c",
    /// TRDY#, STOP# and DEVSEL# go high after the last data phase.
    ResponseReleased = "PCI 2.3, appendix C, 12f",
    /// TRDY# or STOP# within 16 clocks of FRAME#.
    FirstDataWithin16 = "PCI 2.3, appendix C, 25; INV-2",
    /// TRDY# or STOP# within 8 clocks of the data phase before.
    LaterDataWithin8 = "PCI 2.3, appendix C, 26; INV-2",
    /// In a read the target neither drives AD nor has TRDY# low in the clock after the address.
    ReadTurnaround = "PCI 2.3, section 3.3.1",

    // ---- Data and parity ------------------------------------------------------------------------
    /// AD holds while its source is ready and the other side is not.
    AdStable = "PCI 2.3, appendix C, 2; INV-3",
    /// C/BE# holds through the data phase.
    CbeStable = "PCI 2.3, appendix C, 2; INV-3",
    /// PAR is driven and even one clock after each address and each valid data.
    Parity = "PCI 2.3, section 3.7.1; INV-4",
    /// PAR64 likewise in 64-bit transactions.
    Parity64 = "PCI 2.3, section 3.7.1; INV-4",
    /// Wrong parity of data that moved is answered with PERR# two clocks after them, if the
    /// receiver is told to.
    ParityErrorReported = "PCI 2.3, section 3.7.4; INV-4",
    /// PERR# is low only two clocks after data with wrong parity.
    PerrHasReason = "PCI 2.3, section 3.7.4; INV-4",

    // ---- 64 bits --------------------------------------------------------------------------------
    /// REQ64# has the timing of FRAME#.
    Req64WithFrame = "PCI 2.3, section 3.8; INV-8",
    /// ACK64# answers REQ64# only, and has the timing of DEVSEL#.
    Ack64WithDevsel = "PCI 2.3, section 3.8; INV-8",
}

/// A rule that an agent broke, and when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    /// The edge at which the violation was seen.
    pub at: Ps,
    /// The rule that is broken.
    pub rule: Rule,
    /// What happened, in words.
    pub what: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {:?} ({}): {}", self.at, self.rule, self.rule.place(), self.what)
    }
}
