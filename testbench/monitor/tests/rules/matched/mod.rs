//! Each watch of messages fires on what it must find, and on nothing else.

mod bench;
mod pages;
mod receives;
mod sends;
