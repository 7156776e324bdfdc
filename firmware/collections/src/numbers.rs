use nic_device::{rarely, Place, Words};
use nic_layout::personality::emp::OPEN_NUMBERS;

/// What is known of the messages of a peer, by their numbers: of the 256 up to the newest.
///
/// The peer has at most 256 numbers in use at a time, without a hole, from 0 on. If it breaks this,
/// its own messages suffer, and nothing else: every number has one of the states, and no word
/// outside the table changes.
#[derive(Clone, Copy, Debug)]
pub struct Numbers {
    table: Place,
    /// The newest number that was seen; one less than the first before any was.
    newest: u16,
    /// Every number before this one was matched, or is not in use any more.
    unmatched: u16,
}

/// The state of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No frame of the message was taken. The number may be newer than all that were seen.
    Unseen,
    /// The receive with this number has taken the message.
    Matched(u32),
    /// The message is complete.
    Complete,
    /// The message was given up.
    Failed,
    /// The number is not in use: it lies 256 or more before the newest.
    Old,
}

/// How far a number may be ahead of the newest: far, since messages may be given up before any of
/// their frames has come. What is farther ahead is taken for a number before the newest.
const AHEAD_MAX: i32 = 0x7000;

const UNSEEN: u32 = 0;
const COMPLETE: u32 = 1;
const FAILED: u32 = 2;
/// The first of the words that stand for a receive.
const MATCHED: u32 = 3;

impl Numbers {
    /// Bytes of the table.
    pub const BYTES: u32 = 4 * OPEN_NUMBERS;
    /// A table of no peer.
    pub const NOWHERE: Numbers = Numbers { table: Place(0), newest: u16::MAX, unmatched: 0 };

    /// The table at an SRAM offset, in which no number was seen.
    pub fn start(words: &mut impl Words, offset: u32) -> Numbers {
        let table = words.place(offset);
        for at in (0..Numbers::BYTES).step_by(4) {
            words.put(table, at, UNSEEN);
        }
        Numbers { table, ..Numbers::NOWHERE }
    }

    /// How far a number is behind the newest; negative: ahead of it.
    #[inline(always)]
    const fn behind(&self, number: u16) -> i32 {
        self.newest.wrapping_sub(number) as i16 as i32
    }

    #[inline(always)]
    const fn at(number: u16) -> u32 {
        4 * (number as u32 % OPEN_NUMBERS)
    }

    /// The receive that has taken the message and is not complete, if any.
    #[inline(always)]
    pub fn receive_of(&self, words: &impl Words, number: u16) -> Option<u32> {
        if self.newest.wrapping_sub(number) >= OPEN_NUMBERS as u16 {
            return None;
        }
        words.get(self.table, Numbers::at(number)).checked_sub(MATCHED)
    }

    /// Whether the number is the one behind the newest: then it is [`State::Unseen`].
    #[inline(always)]
    pub const fn is_next(&self, number: u16) -> bool {
        number == self.newest.wrapping_add(1)
    }

    /// The state of a number.
    pub fn look(&self, words: &impl Words, number: u16) -> State {
        let behind = self.behind(number);
        if behind < 0 {
            return if behind >= -AHEAD_MAX { State::Unseen } else { State::Old };
        }
        if behind >= OPEN_NUMBERS as i32 {
            return State::Old;
        }
        match words.get(self.table, Numbers::at(number)) {
            UNSEEN => State::Unseen,
            COMPLETE => State::Complete,
            FAILED => State::Failed,
            word => State::Matched(word - MATCHED),
        }
    }

    /// A receive has taken the message. The number is [`State::Unseen`].
    #[inline(always)]
    pub fn matched(&mut self, words: &mut impl Words, number: u16, receive: u32) {
        self.take(words, number, receive + MATCHED);
    }

    /// A receive has taken the message, which is complete. The number is [`State::Unseen`].
    #[inline(always)]
    pub fn matched_whole(&mut self, words: &mut impl Words, number: u16) {
        self.take(words, number, COMPLETE);
    }

    #[inline(always)]
    fn take(&mut self, words: &mut impl Words, number: u16, word: u32) {
        // Most messages are matched in the order of sending.
        if self.is_next(number) && number == self.unmatched {
            words.put(self.table, Numbers::at(number), word);
            (self.newest, self.unmatched) = (number, number.wrapping_add(1));
            return;
        }
        rarely();
        self.set(words, number, word);
    }

    /// The message is complete. The number is [`State::Matched`].
    #[inline(always)]
    pub fn complete(&mut self, words: &mut impl Words, number: u16) {
        // It was matched, so nothing changes but its word.
        if self.newest.wrapping_sub(number) < OPEN_NUMBERS as u16 {
            words.put(self.table, Numbers::at(number), COMPLETE);
        }
    }

    /// The message was given up. The number is [`State::Unseen`] or [`State::Matched`].
    pub fn fail(&mut self, words: &mut impl Words, number: u16) {
        self.set(words, number, FAILED);
    }

    #[inline(never)]
    fn set(&mut self, words: &mut impl Words, number: u16, word: u32) {
        match self.behind(number) {
            behind if behind >= OPEN_NUMBERS as i32 || behind < -AHEAD_MAX => return,
            behind if behind < 0 => self.advance(words, number),
            _ => {}
        }
        words.put(self.table, Numbers::at(number), word);
        // What was matched in the order of sending, and so most often, is one step.
        while self.behind(self.unmatched) >= 0 && words.get(self.table, Numbers::at(self.unmatched)) != UNSEEN {
            self.unmatched = self.unmatched.wrapping_add(1);
        }
    }

    /// Makes a number the newest.
    #[inline(always)]
    fn advance(&mut self, words: &mut impl Words, number: u16) {
        let mut steps = (-self.behind(number)).min(OPEN_NUMBERS as i32);
        while steps > 0 {
            steps -= 1;
            words.put(self.table, Numbers::at(number.wrapping_sub(steps as u16)), UNSEEN);
        }
        self.newest = number;
        let oldest = number.wrapping_sub(OPEN_NUMBERS as u16 - 1);
        self.raise_unmatched(oldest);
    }

    #[inline(always)]
    fn raise_unmatched(&mut self, number: u16) {
        if (number.wrapping_sub(self.unmatched) as i16) > 0 {
            self.unmatched = number;
        }
    }

    /// Every message before this one was matched, or has ended.
    #[inline(always)]
    pub fn pass_over(&mut self, number: u16) {
        if self.unmatched != number {
            rarely();
            self.raise_unmatched(number);
        }
    }

    /// Whether the latest message with the same tag before this one was matched. `tag_distance`: of
    /// its first frame.
    #[inline(always)]
    pub fn is_after_tag(&self, words: &impl Words, number: u16, tag_distance: u32) -> bool {
        tag_distance == 0 || self.look(words, number.wrapping_sub(tag_distance as u16)) != State::Unseen
    }

    /// Whether every message before this one was matched. `oldest_distance`: of its first frame;
    /// what lies farther back is matched.
    #[inline(always)]
    pub fn is_after_all(&mut self, number: u16, oldest_distance: u32) -> bool {
        self.raise_unmatched(number.wrapping_sub(oldest_distance as u16));
        (self.unmatched.wrapping_sub(number) as i16) >= 0
    }
}
