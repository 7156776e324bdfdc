//! EMP: messages that the NIC matches with posted receives (docs/emp.md).
//!
//! The firmware is four parts: sender, transmitter, sorter and receiver. Each has a state that no
//! other part touches. Parts on one core call each other, parts on different cores have queues
//! (module `neighbours`).
#![cfg_attr(not(test), no_std)]

mod answers_apart;
mod command;
pub mod dynamic;
mod elsewhere;
mod frame;
mod header;
mod lists;
mod machine;
mod messages;
mod neighbours;
mod pages;
mod places;
mod plan;
mod queues;
mod receiver;
mod receiver_with;
mod schemes;
mod sender;
mod sorter;
mod translated;
mod transmitter;

pub use answers_apart::AnswersApart;
pub use elsewhere::Elsewhere;
pub use lists::LIST_BUFFER_BYTES;
pub use machine::{prepare, Core, Machine, Parts};
pub use pages::{Pages, Physical};
pub use places::{path, receive_record, send_record, PagePlaces, Places, Settings};
pub use plan::{Config, Plan};
pub use queues::QUEUES_BYTES;
pub use receiver::RECEIVE_LISTS;
pub use schemes::{Base, Dsr, Ro, Scheme, So, Sr};
pub use translated::{lay_out_translations, Translated, MISSES_BYTES};

pub use transmitter::{ANSWERS, ANSWERS_APART, ANSWER_BYTES, SEND_LISTS};
