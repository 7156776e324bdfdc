//! Hash look-up with pointer chase: keys are sought in chains of nodes that lie in no order.

use core::ptr::null;

use crate::noise::Noise;
use crate::{Data, Kernel};

/// Chains of the hash table.
pub const BUCKETS: usize = 64;
/// Nodes in all chains together.
pub const NODES: usize = 128;
/// Keys that a call looks up.
pub const QUERIES: usize = 64;

/// A node of a chain.
#[repr(C)]
pub struct Node {
    /// The next node of the chain, null at its end.
    pub next: *const Node,
    /// The key, an even number.
    pub key: u32,
    /// The value of the key.
    pub value: u32,
}

/// The data of [`Lookup`]: the hash table. `struct table` in C has the same layout.
#[repr(C)]
pub struct Table {
    /// The first node of each chain, null if the chain is empty.
    pub heads: [*const Node; BUCKETS],
    /// All nodes. Neighbours in a chain are not neighbours here.
    pub nodes: [Node; NODES],
    /// The keys to look up. One in four is odd and so not in the table.
    pub queries: [u32; QUERIES],
}

// SAFETY: integers and raw pointers.
unsafe impl Data for Table {}

/// The chain of a key. The hash folds three fields of the key, as one does with process and page.
fn bucket(key: u32) -> usize {
    (key ^ key >> 6 ^ key >> 12) as usize % BUCKETS
}

/// Looks up [`QUERIES`] keys and returns the sum of the values that it finds, modulo 2^32.
pub struct Lookup;

impl Kernel for Lookup {
    const NAME: &'static str = "lookup";
    type Data = Table;

    /// Three of four queries find their key.
    fn prepare(table: &mut Table) {
        let mut noise = Noise::new(1);
        table.heads = [null(); BUCKETS];
        for i in 0..NODES {
            // Odd steps go through all nodes: neighbours in memory are not neighbours in a chain.
            let node = &mut table.nodes[i * 37 % NODES];
            node.key = noise.next() & !1;
            node.value = noise.next();
            let head = &mut table.heads[bucket(node.key)];
            node.next = *head;
            *head = node;
        }
        for i in 0..QUERIES {
            let key = table.nodes[noise.below(NODES as u32) as usize].key;
            table.queries[i] = if i % 4 == 3 { key | 1 } else { key };
        }
    }

    fn run(table: &mut Table) -> u32 {
        let mut sum = 0u32;
        for &query in &table.queries {
            let mut next = table.heads[bucket(query)];
            // SAFETY: chains are made of nodes of this table, and end with null.
            while let Some(node) = unsafe { next.as_ref() } {
                if node.key == query {
                    sum = sum.wrapping_add(node.value);
                    break;
                }
                next = node.next;
            }
        }
        sum
    }
}
