//! Why a firmware does not start.

use core::fmt;

use super::Kind;

macro_rules! boot_errors {
    (
        { $($(#[$doc:meta])* $name:ident = $code:literal: $text:literal,)* }
        { $($(#[$about_doc:meta])* $about:ident = $about_code:literal: $about_text:literal,)* }
    ) => {
        /// Why a firmware refuses to start ([`super::ReplyState::error`]).
        // The tag of each reason is its code, so that the code costs the firmware no jump table:
        // the analysis of an image's stack follows none.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u32)]
        pub enum BootError {
            $($(#[$doc])* $name = $code,)*
            $($(#[$about_doc])* $about(Kind) = $about_code,)*
        }

        impl core::error::Error for BootError {}

        impl BootError {
            /// Every reason; each of those about a section once, with kind `kind`.
            pub const fn all(kind: Kind) -> [BootError; [$($code,)* $($about_code),*].len()] {
                [$(BootError::$name,)* $(BootError::$about(kind)),*]
            }

            /// Code of the reason, and kind of the section that it is about or 0.
            pub const fn words(self) -> [u32; 2] {
                let code = match self {
                    $(BootError::$name => $code,)*
                    $(BootError::$about(_) => $about_code,)*
                };
                match self {
                    $(BootError::$about(kind))|* => [code, kind.0],
                    _ => [code, 0],
                }
            }

            /// The reason of these words, if there is one.
            pub const fn from_words(words: [u32; 2]) -> Option<BootError> {
                Some(match words {
                    $([$code, 0] => BootError::$name,)*
                    $([$about_code, kind] => BootError::$about(Kind(kind)),)*
                    _ => return None,
                })
            }
        }

        impl fmt::Display for BootError {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(BootError::$name => f.write_str($text),)*
                    $(BootError::$about(kind) => write!(f, $about_text, kind),)*
                }
            }
        }
    };
}

boot_errors! {
    {
        /// The block does not begin with its magic number.
        BadMagic = 1: "block without its magic number",
        /// The other side was built with other layouts.
        OtherLayout = 2: "built with another version of the layouts than the driver",
        /// The node number is not below the number of nodes, or there are fewer than 2 or more than
        /// 16.
        NodeOutOfRange = 3: "node number out of range",
        /// A frame buffer is no multiple of 8 bytes, too small for a frame, or too large.
        BufferSize = 4: "buffer size is wrong",
        /// The regions of all parts are larger than the SRAM.
        DoesNotFitSram = 5: "the tables do not fit the SRAM",
        /// More buffers than the firmware has records for, or none.
        BufferCount = 6: "number of buffers is wrong",
        /// The session number has more than 8 bits.
        SessionOutOfRange = 7: "session out of range",
        /// An interval is zero, or so long that its end cannot be told from the past.
        IntervalOutOfRange = 8: "an interval is out of range",
        /// An unknown treatment of misses, or more frames to be held than buffers to spare.
        ReceiveMissOutOfRange = 9: "way of serving misses out of range, or too many frames held",
        /// Static tables that hold nothing, or more than an index can name.
        StaticTablesOutOfRange = 10: "size of static tables out of range",
        /// More post queues than slots; or fewer, where each process keeps its own.
        PostQueuesOutOfRange = 11: "number of post queues out of range: 1 to 8, and 8 with static tables",
        /// The word that says whether the NIC fetches translations is neither 0 nor 1.
        FetchOutOfRange = 12: "neither to fetch translations nor not to",
        /// Head or directory contradict themselves or each other, or the block is longer than its
        /// place.
        BadBlock = 13: "head or directory of the block is impossible",
        /// The firmware's reply is longer than its place.
        ReplyTooLong = 14: "the reply is longer than its place",
    }
    // About a section.
    {
        /// A section that is no offer, of a kind that the reader does not know.
        UnknownSection = 15: "section {} is unknown",
        /// A section that the reader needs.
        MissingSection = 16: "section {} is missing",
        /// A section with fewer words than its kind has.
        ShortSection = 17: "section {} is too short",
        /// Two sections of one kind.
        RepeatedSection = 18: "section {} is there twice",
    }
}

/// A refusal as the driver reads it: two words, which may be anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal(pub [u32; 2]);

impl From<BootError> for Refusal {
    fn from(error: BootError) -> Refusal {
        Refusal(error.words())
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Refusal(words) = *self;
        match BootError::from_words(words) {
            Some(error) => write!(f, "{error} (error {})", words[0]),
            None => write!(f, "a reason that the driver does not know (error {})", words[0]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_words_of_its_own_and_comes_back_from_them() {
        let all = BootError::all(Kind::LINK);
        for (index, error) in all.iter().enumerate() {
            assert_eq!(BootError::from_words(error.words()), Some(*error));
            assert!(all[..index].iter().all(|other| other.words()[0] != error.words()[0]), "{error:?}");
        }
        assert_eq!(BootError::from_words([0, 0]), None);
        assert_eq!(BootError::from_words([1, 1]), None, "a reason that is about no section");
    }
}
