//! On which core each part runs.

use nic_matching::Posted;

use crate::machine::{Core, Machine};
use crate::pages::Physical;
use crate::receiver::Receiver;
use crate::sender::Sender;
use crate::sorter::Sorter;
use crate::transmitter::Transmitter;
use crate::Elsewhere;

/// A table that says on which core each part runs (docs/emp.md, Four parts).
pub trait Scheme {
    /// The name of the scheme.
    const NAME: &'static str;
    /// Whether both cores give receive buffers back, which is then done under the semaphore: sorter
    /// and receiver run on different cores.
    const BUFFERS_FROM_BOTH: bool;
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
                type A<P: Posted> = schemes!(A, P, $sender $transmitter $sorter $receiver);
                type B<P: Posted> = schemes!(B, P, $sender $transmitter $sorter $receiver);
            }
        )*
    };
    ($core:ident, $posted:ident, $sender:ident $transmitter:ident $sorter:ident $receiver:ident) => {
        Core<
            on!($core, $sender, Sender),
            on!($core, $transmitter, Transmitter<Physical>),
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
