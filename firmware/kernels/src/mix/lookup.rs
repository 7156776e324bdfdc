//! Hash look-up with pointer chase: keys are sought in chains of nodes that lie in no order.

use core::ptr::null;

use crate::noise::Noise;
use crate::{Data, Kernel};

pub const BUCKETS: usize = 64;
pub const NODES: usize = 128;
pub const QUERIES: usize = 64;

#[repr(C)]
pub struct Node {
    pub next: *const Node,
    pub key: u32,
    pub value: u32,
}

#[repr(C)]
pub struct Table {
    pub heads: [*const Node; BUCKETS],
    pub nodes: [Node; NODES],
    pub queries: [u32; QUERIES],
}

// SAFETY: integers and raw pointers.
unsafe impl Data for Table {}

/// Pages of a few processes fall on all buckets.
fn bucket(key: u32) -> usize {
    (key ^ key >> 6 ^ key >> 12) as usize % BUCKETS
}

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
