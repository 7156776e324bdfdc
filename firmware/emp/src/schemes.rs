//! On which core each part runs.

use nic_matching::Posted;

use crate::machine::{Core, Machine};
use crate::pages::Physical;
use crate::receiver::Receiver;
use crate::sender::Sender;
use crate::sorter::Sorter;
use crate::transmitter::Transmitter;
use crate::{AnswersApart, Elsewhere};

/// A table that says on which core each part runs (docs/emp.md, Four parts).
pub trait Scheme {
    /// The name of the scheme.
    const NAME: &'static str;
    /// Whether both cores give receive buffers back, which is then done under the semaphore: sorter
    /// and receiver run on different cores.
    const BUFFERS_FROM_BOTH: bool;
    /// Whether both cores place frames in the transmit ring: sorter and receiver run on core B, and
    /// the transmitter on core A.
    const FRAMES_FROM_BOTH: bool;
    /// The parts of core A. `P`: how the sorter finds posted receives.
    type A<P: Posted>: Machine;
    /// The parts of core B.
    type B<P: Posted>: Machine;
}

/// The part, or [`Elsewhere`]: `on!(core, core of the part, part)`.
macro_rules! on {
    (A, A, $part:ty) => {
        $part
    };
    (B, B, $part:ty) => {
        $part
    };
    ($core:ident, $other:ident, $part:ty) => {
        Elsewhere
    };
}

/// The transmitter, or what stands for it on a core: `transmitter!(core, its core,
/// the sorter's, the receiver's)`.
macro_rules! transmitter {
    (A, A $sorter:ident $receiver:ident) => {
        Transmitter<Physical>
    };
    (B, B $sorter:ident $receiver:ident) => {
        Transmitter<Physical>
    };
    (B, A B B) => {
        AnswersApart
    };
    ($core:ident, $transmitter:ident $sorter:ident $receiver:ident) => {
        Elsewhere
    };
}

/// `sends_answers!(core of the transmitter, of the sorter, of the receiver)`. A receiver on core A
/// does not: the host posts there what it answers, and would wait. Where the sorter runs on core A,
/// that core handles each frame anyway, and nothing was gained.
macro_rules! sends_answers {
    (A B B) => {
        true
    };
    ($transmitter:ident $sorter:ident $receiver:ident) => {
        false
    };
}

macro_rules! are_apart {
    (A, A) => {
        false
    };
    (B, B) => {
        false
    };
    ($one:ident, $other:ident) => {
        true
    };
}

macro_rules! schemes {
    ($($(#[$doc:meta])* $scheme:ident, $name:literal: $sender:ident $transmitter:ident $sorter:ident $receiver:ident;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub struct $scheme;

            impl Scheme for $scheme {
                const NAME: &'static str = $name;
                const BUFFERS_FROM_BOTH: bool = are_apart!($sorter, $receiver);
                const FRAMES_FROM_BOTH: bool = sends_answers!($transmitter $sorter $receiver);
                type A<P: Posted> = schemes!(A, P, $sender $transmitter $sorter $receiver);
                type B<P: Posted> = schemes!(B, P, $sender $transmitter $sorter $receiver);
            }
        )*
    };
    ($core:ident, $posted:ident, $sender:ident $transmitter:ident $sorter:ident $receiver:ident) => {
        Core<
            on!($core, $sender, Sender),
            transmitter!($core, $transmitter $sorter $receiver),
            on!($core, $receiver, Receiver<Physical>),
            on!($core, $sorter, Sorter<$posted>),
            $posted,
            Physical,
        >
    };
}

schemes! {
    //           sender, transmitter, sorter, receiver
    /// Everything on core A (E-45).
    Base, "base": A A A A;
    /// Send-only: the transmitter on core B.
    So, "so":     A B A A;
    /// Receive-only: the receiver on core B.
    Ro, "ro":     A A A B;
    /// Dedicated send and receive: sorter and receiver on core B.
    Dsr, "dsr":   A A B B;
    /// Send and receive: what handles the data of frames on core B.
    Sr, "sr":     A B A B;
}
