use sim_pins::Ps;

/// The rules, each with its place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rule {
    OneDriver,
}

/// A rule that an agent broke, and when.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Violation {
    pub at: Ps,
    pub rule: Rule,
    pub what: String,
}
