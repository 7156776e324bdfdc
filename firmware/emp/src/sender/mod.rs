//! The sender: takes posted sends, says which frames leave, takes acknowledgements, keeps the time.

mod acknowledged;
mod end;
mod issue;
mod numbers;
mod pace;
mod peer;
mod post;
mod set;
mod state;
mod timer;
mod turn;

pub use state::Sender;
pub use state::Sides;
