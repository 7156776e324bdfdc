//! Tables and figures of the thesis on miNI.

mod buffer_misses;
mod connect;
mod costs;
mod curves;
mod head_of_line;
mod lookup;
mod memory;
mod miss_costs;
mod miss_times;
mod misses;
mod ping_pong;
mod programs;
mod queues;
mod retransmit;
mod services;
pub mod setting;
mod trace_findings;
mod trace_on_rtl;
mod traces;

use crate::engine::Experiment;

/// In the order in which they are listed.
pub static EXPERIMENTS: [Experiment; 12] = [
    memory::TABLE_1_1,
    costs::TABLE_4_2,
    misses::FIGURE_4_1,
    buffer_misses::FIGURE_4_4,
    traces::FIGURE_4_2,
    miss_times::TABLES_4_6_4_7,
    retransmit::INTERVAL,
    head_of_line::HEAD_OF_LINE,
    services::SERVICES,
    lookup::CYCLES,
    queues::QUEUES,
    connect::CONNECT,
];
