//! The language of writes, reads and buffers: what `mini` and `vmmc` do.
//!
//! * `operation`: the operations. `draw`: random lists. `model`: the right results.
//! * `node`, `actor`: play a list on a node and its processes. `restart`, `turns`: start a node
//!   again. `state`: what tasks share.
//! * `plant`, `planted`: defects that tests plant, and their effects.

mod actor;
pub mod draw;
pub mod model;
mod node;
pub mod operation;
pub mod plant;
mod planted;
mod restart;
mod state;
mod turns;

use std::collections::BTreeMap;
use std::future::Future;
use std::ops::Range;

use nicscope_run::workload::NodeReport;
use nicscope_scenario::error::Result;

use crate::case::{Case, Cluster};
use crate::language::{Compared, Operation, Seat};

use node::Common;
use operation::{Kind, Op};
use plant::Plant;

impl Operation for Op {
    const LANGUAGE: &'static str = "rdma";
    const KINDS: &'static [&'static str] = &Kind::NAMES;
    type Plant = Plant;
    type Shared = Common;

    fn kind_name(&self) -> &'static str {
        self.kind().name()
    }

    fn simpler(&self) -> Vec<Op> {
        Op::simpler(self)
    }

    fn draw(seed: u64, number: u64, ops: Range<usize>) -> Case<Op> {
        draw::case_of_nodes(seed, number, ops)
    }

    fn share(cluster: &Cluster, compared: Compared) -> Common {
        Common::new(cluster, compared)
    }

    fn decided(shared: &Common) -> BTreeMap<&'static str, u64> {
        shared.decided().by_name()
    }

    fn play(seat: Seat<Op>) -> impl Future<Output = Result<NodeReport>> + 'static {
        node::play_node(seat)
    }
}
