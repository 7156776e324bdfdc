//! Post queues (docs/protocol.md, Posts).
//!
//! A process writes posts into its queue and rings a doorbell. [`Posts`] takes the doorbells, says
//! which post of a slot comes next, ends posts in their order, and writes the status pages.
//! [`Records`] says how far each post is: frames in flight, all frames issued, failed.
//!
//! Nothing here knows what a post asks for, or that there is a link. The protocol reads the
//! descriptor, keeps what it needs of the post at the head of a slot (`H`), and reports each frame
//! that it sends or that ends.
#![cfg_attr(not(test), no_std)]

mod id;
mod posts;
mod records;
mod status;

pub use id::{Owner, PostId, GENERATION_MAX};
pub use posts::{Posts, PostsConfig};
pub use records::Records;
pub use status::StatusTag;
