//! How many nodes a cluster has, and an image has room for.
//!
//! An image has tables with an entry for each node, in the scratchpad if it is for few of them. So
//! the number is a build parameter of the image: the build takes it from `NICSCOPE_NODES`, a power
//! of two from 2 to [`NODES_MAX`], and [`NODES_USUAL`] without it.

/// Nodes that a cluster may have at most, with any image.
pub const NODES_MAX: usize = 64;

/// Nodes that an image has room for unless its build says otherwise.
pub const NODES_USUAL: usize = 16;

/// Nodes that an image for a cluster of `nodes` nodes has room for: [`NODES_USUAL`] if that
/// suffices, else [`NODES_MAX`].
pub const fn image_nodes_for(nodes: usize) -> usize {
    if nodes <= NODES_USUAL {
        NODES_USUAL
    } else {
        NODES_MAX
    }
}

/// Nodes that the image of this build has room for.
pub const IMAGE_NODES: usize = match option_env!("NICSCOPE_NODES") {
    None => NODES_USUAL,
    Some(text) => number(text.as_bytes()),
};

const _: () = assert!(
    IMAGE_NODES.is_power_of_two() && 2 <= IMAGE_NODES && IMAGE_NODES <= NODES_MAX,
    "NICSCOPE_NODES: a power of two from 2 to 64 was expected"
);

/// The number in decimal digits; 0 if other characters are among them.
const fn number(digits: &[u8]) -> usize {
    let (mut value, mut at) = (0, 0);
    while at < digits.len() && at < 4 {
        if !digits[at].is_ascii_digit() {
            return 0;
        }
        value = value * 10 + (digits[at] - b'0') as usize;
        at += 1;
    }
    value
}

/// A set of nodes of this build's image, one bit each: `u32` if its nodes fit, else `u64`.
pub type NodeSet = <Width<{ IMAGE_NODES > u32::BITS as usize }> as Word>::Set;

/// The nodes from `first` on, which is 1 to [`IMAGE_NODES`].
pub const fn nodes_from(first: u32) -> NodeSet {
    if IMAGE_NODES < NodeSet::BITS as usize {
        NodeSet::MAX << first
    } else {
        // `first` may be the width of the word.
        NodeSet::MAX << (first - 1) << 1
    }
}

/// Whether a set of nodes needs more than 32 bits.
#[doc(hidden)]
pub struct Width<const IS_WIDE: bool>;

/// The word of a set.
#[doc(hidden)]
pub trait Word {
    /// The word.
    type Set;
}

impl Word for Width<false> {
    type Set = u32;
}

impl Word for Width<true> {
    type Set = u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_room_for_its_cluster() {
        assert_eq!([2, 16, 17, 64].map(image_nodes_for), [16, 16, 64, 64]);
        assert_eq!(["64", "16", "x", "100000", ""].map(|text| number(text.as_bytes())), [64, 16, 0, 1000, 0]);
    }

    #[test]
    fn the_nodes_behind_the_last_are_no_peers() {
        assert_eq!(nodes_from(1), !1);
        assert_eq!(nodes_from(2) & 0b1111, 0b1100);
        let last = IMAGE_NODES as u32 - 1;
        assert_eq!((nodes_from(last) >> last & 1, nodes_from(IMAGE_NODES as u32) >> last & 1), (1, 0));
    }
}
