//! The common model of both caches: sets of ways that are reserved, filled and forgotten, and the
//! order of their use.

use sim_pins::Ps;

use crate::broken::{broken, Broken};
use crate::context::has_settled;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Empty,
    /// The driver owes the line an answer, for the entry of the miss ring with this index.
    Reserved {
        since: Ps,
        index: u32,
    },
    /// The NIC fetches the line.
    Fetching {
        since: Ps,
    },
    /// The driver, or the NIC itself, has filled the line.
    Valid {
        since: Ps,
    },
    /// The driver has answered that there is nothing (a negative entry).
    Denied {
        since: Ps,
    },
    /// The driver has given the line back unfilled.
    Released {
        since: Ps,
    },
}

/// Whether a way may be the victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Free {
    Yes,
    No,
    /// The way became free so recently that the firmware may not know it.
    Perhaps,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    /// The tag that the line holds or held last.
    pub tag: u32,
    pub state: State,
    /// The number of locks of the send path, and of the receive path.
    pub locks: [u32; 2],
}

impl Line {
    pub fn locks(&self) -> u32 {
        self.locks[0] + self.locks[1]
    }

    pub fn is_reserved(&self) -> bool {
        matches!(self.state, State::Reserved { .. } | State::Fetching { .. })
    }

    pub fn is_valid(&self) -> bool {
        matches!(self.state, State::Valid { .. })
    }

    fn free(&self, at: Ps) -> Free {
        match self.state {
            _ if self.locks() != 0 => Free::No,
            State::Reserved { .. } | State::Fetching { .. } => Free::No,
            State::Empty => Free::Yes,
            State::Valid { since } | State::Denied { since } | State::Released { since } => {
                match has_settled(since, at) {
                    true => Free::Yes,
                    false => Free::Perhaps,
                }
            }
        }
    }
}

pub(crate) struct Lines {
    name: &'static str,
    ways: u32,
    lines: Vec<Line>,
    /// The ways of each set, the most recently used first.
    orders: Vec<Vec<u32>>,
    /// Sets whose order is unknown, because the firmware may have read either value of a word that
    /// had not settled.
    is_unsure: Vec<bool>,
}

impl Lines {
    pub fn new(name: &'static str, count: u32, ways: u32) -> Lines {
        let empty = Line { tag: 0, state: State::Empty, locks: [0; 2] };
        let sets = (count / ways) as usize;
        Lines {
            name,
            ways,
            lines: vec![empty; count as usize],
            orders: vec![(0..ways).collect(); sets],
            is_unsure: vec![false; sets],
        }
    }

    pub fn get(&self, line: u32) -> Option<&Line> {
        self.lines.get(line as usize)
    }

    pub fn get_mut(&mut self, line: u32) -> Option<&mut Line> {
        self.lines.get_mut(line as usize)
    }

    pub fn iter(&self) -> impl Iterator<Item = (u32, &Line)> {
        (0..).zip(&self.lines)
    }

    /// The line of a set that holds a tag, or waits for it.
    pub fn find(&self, set: u32, tag: u32) -> Option<u32> {
        let lines = set * self.ways..(set + 1) * self.ways;
        let holds = |line: &Line| line.tag == tag && !matches!(line.state, State::Empty | State::Released { .. });
        lines.into_iter().find(|&line| holds(&self.lines[line as usize]))
    }

    pub fn use_now(&mut self, line: u32) {
        let (set, way) = (line / self.ways, line % self.ways);
        let order = &mut self.orders[set as usize];
        order.retain(|other| *other != way);
        order.insert(0, way);
    }

    fn use_last(&mut self, line: u32) {
        let (set, way) = (line / self.ways, line % self.ways);
        let order = &mut self.orders[set as usize];
        order.retain(|other| *other != way);
        order.push(way);
    }

    pub fn order_is_unsure(&mut self, set: u32) {
        self.is_unsure[set as usize] = true;
    }

    /// Whether some way of the set was free for sure.
    pub fn has_free_way(&self, at: Ps, set: u32) -> bool {
        let lines = set * self.ways..(set + 1) * self.ways;
        lines.into_iter().any(|line| self.lines[line as usize].free(at) == Free::Yes)
    }

    /// The firmware has reserved a line for a tag.
    pub fn reserve(&mut self, at: Ps, line: u32, set: u32, tag: u32, index: u32) -> Result<(), Broken> {
        let name = self.name;
        let Some(victim) = self.get(line).copied() else {
            return broken(13, format!("{name} line {line} is reserved, and does not exist"));
        };
        if line / self.ways != set {
            return broken(13, format!("{name} line {line} is reserved for {tag:#x}, whose set is {set}"));
        }
        if let Some(other) = self.find(set, tag) {
            let number = if self.lines[other as usize].is_reserved() { 18 } else { 13 };
            let state = self.lines[other as usize].state;
            return broken(
                number,
                format!("{name} line {line} is reserved for {tag:#x}, which line {other} has: {state:?}"),
            );
        }
        if victim.free(at) == Free::No {
            let what = format!("{:?}, locks {:?}", victim.state, victim.locks);
            return broken(
                15,
                format!("{name} line {line} is given to {tag:#x}; it has tag {:#x}, {what}", victim.tag),
            );
        }
        if !self.is_unsure[set as usize] {
            let oldest_first = self.orders[set as usize].iter().rev().map(|way| set * self.ways + way);
            for candidate in oldest_first.clone() {
                if candidate == line {
                    break;
                }
                if self.lines[candidate as usize].free(at) == Free::Yes {
                    let order: Vec<u32> = oldest_first.collect();
                    return broken(
                        14,
                        format!("{name} line {line} is the victim; line {candidate} is free and used less recently ({order:?}, oldest first)"),
                    );
                }
            }
        }
        self.lines[line as usize] = Line { tag, state: State::Reserved { since: at, index }, locks: [0; 2] };
        self.use_now(line);
        Ok(())
    }

    /// The driver writes to a line: it must owe the line an answer.
    pub fn check_owed(&self, line: u32) -> Result<(), Broken> {
        let name = self.name;
        match self.get(line).map(|line| (line.state, line.tag)) {
            Some((State::Reserved { .. }, _)) => Ok(()),
            Some((State::Empty, tag)) => {
                broken(19, format!("the driver writes to {name} line {line} after {tag:#x} was taken from it"))
            }
            Some((state, tag)) => broken(
                16,
                format!("the driver writes to {name} line {line}, which waits for nothing: {tag:#x}, {state:?}"),
            ),
            None => broken(16, format!("the driver writes to {name} line {line}, which does not exist")),
        }
    }

    /// The driver answers the miss of a line.
    pub fn answer(&mut self, line: u32, state: State) -> Result<(), Broken> {
        self.check_owed(line)?;
        if let Some(line) = self.get_mut(line) {
            line.state = state;
        }
        Ok(())
    }

    /// The firmware forgets a tag.
    pub fn forget(&mut self, set: u32, tag: u32) {
        if let Some(line) = self.find(set, tag) {
            self.lines[line as usize].state = State::Empty;
            self.use_last(line);
        }
    }

    /// The firmware has found nothing for a tag, and did not reserve a line. It needs a reason.
    pub fn check_absent(&self, at: Ps, set: u32, tag: u32, has_room: bool) -> Result<(), Broken> {
        let name = self.name;
        match self.find(set, tag) {
            Some(line) => match self.lines[line as usize].state {
                State::Valid { since } if has_settled(since, at) => {
                    broken(20, format!("{name} line {line} holds {tag:#x} since {since}, and was not found"))
                }
                _ => Ok(()),
            },
            None if has_room && self.has_free_way(at, set) => broken(
                18,
                format!("{tag:#x} is not in the {name} cache, a way of set {set} is free, and the host was not asked"),
            ),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: Ps = Ps::from_us(100);

    fn lines() -> Lines {
        Lines::new("test", 8, 4)
    }

    fn valid(lines: &mut Lines, line: u32, tag: u32) {
        lines.reserve(AT, line, line / 4, tag, 0).expect("legal");
        lines.answer(line, State::Valid { since: Ps::ZERO }).expect("owed");
    }

    fn number(result: Result<(), Broken>) -> u8 {
        result.map_or_else(|broken| broken.invariant.0, |()| 0)
    }

    #[test]
    fn the_victim_is_the_least_recent_that_is_free() {
        let mut lines = lines();
        for line in [3, 2, 1, 0] {
            valid(&mut lines, line, 10 + line);
        }
        lines.use_now(3);
        lines.get_mut(2).expect("there").locks = [1, 0];
        assert_eq!(number(lines.reserve(AT, 0, 0, 99, 0)), 14, "1 is older");
        assert_eq!(number(lines.reserve(AT, 2, 0, 99, 0)), 15, "it is locked");
        assert_eq!(number(lines.reserve(AT, 5, 0, 99, 0)), 13, "of another set");
        assert_eq!(number(lines.reserve(AT, 1, 0, 10, 0)), 13, "10 is there");
        assert_eq!(number(lines.reserve(AT, 1, 0, 99, 0)), 0);
        assert_eq!(number(lines.reserve(AT, 0, 0, 99, 0)), 18, "99 is asked for");
        assert_eq!(number(lines.reserve(AT, 1, 0, 98, 0)), 15, "it is reserved");
    }

    #[test]
    fn a_line_is_answered_once_and_not_after_it_was_forgotten() {
        let mut lines = lines();
        lines.reserve(AT, 3, 0, 7, 0).expect("legal");
        assert_eq!(number(lines.answer(2, State::Valid { since: AT })), 19);
        lines.answer(3, State::Valid { since: AT }).expect("owed");
        assert_eq!(number(lines.answer(3, State::Valid { since: AT })), 16);
        lines.forget(0, 7);
        assert_eq!(number(lines.answer(3, State::Valid { since: AT })), 19);
        assert_eq!(lines.find(0, 7), None);
        assert_eq!(number(lines.reserve(AT, 3, 0, 8, 0)), 0, "a forgotten way is the next victim");
    }

    #[test]
    fn what_is_not_found_is_asked_for_if_it_can_be() {
        let mut lines = lines();
        assert_eq!(number(lines.check_absent(AT, 1, 7, true)), 18);
        assert_eq!(number(lines.check_absent(AT, 1, 7, false)), 0, "no room");
        lines.reserve(AT, 7, 1, 7, 0).expect("legal");
        assert_eq!(number(lines.check_absent(AT, 1, 7, true)), 0, "pending");
        lines.answer(7, State::Valid { since: AT }).expect("owed");
        assert_eq!(number(lines.check_absent(AT, 1, 7, true)), 0, "it has just come");
        assert_eq!(number(lines.check_absent(Ps::from_us(200), 1, 7, true)), 20);
    }
}
