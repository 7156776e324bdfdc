//! Tests of the model: each rule fires where it must, and not where several outcomes are right.

use super::*;

const WRITER: Life = Life { node: 0, process: 0, life: 0 };
const OTHER: Life = Life { node: 0, process: 1, life: 0 };
const OWNER: Life = Life { node: 1, process: 0, life: 0 };
const NAME: BufferName = BufferName { owner: OWNER, number: 0 };
const BYTES_OF_ALL: usize = 64;

/// The buffer is bytes 8 to 40 of the owner's memory, which holds zeros.
struct Bench {
    buffer: Buffer,
    posts: Vec<Post>,
    told: Vec<Told>,
    memory: Vec<u8>,
    refused: u64,
    restarts: Vec<Restart>,
}

impl Bench {
    fn new() -> Bench {
        let buffer = Buffer {
            start: 8,
            bytes: 32,
            may_write: true,
            may_read: true,
            listens: true,
            end_begun: None,
            ended: None,
        };
        Bench {
            buffer,
            posts: Vec::new(),
            told: Vec::new(),
            memory: vec![0; BYTES_OF_ALL],
            refused: 0,
            restarts: Vec::new(),
        }
    }

    fn post(&mut self, by: Life, offset: u32, direction: Direction, times: (Time, Time), end: End) -> &mut Post {
        self.posts.push(Post {
            by,
            number: self.posts.len() as u32,
            to: OWNER.node,
            buffer: Some(NAME),
            right_key: true,
            hole: false,
            offset,
            direction,
            begin: times.0,
            end: Some((times.1, end)),
        });
        self.posts.last_mut().expect("just pushed")
    }

    /// A write of four bytes with a value.
    fn write(&mut self, by: Life, offset: u32, value: u8, times: (Time, Time)) -> &mut Post {
        self.post(by, offset, Direction::Write { data: vec![value; 4], notify: false }, times, End::Well)
    }

    fn read(&mut self, found: [u8; 4], times: (Time, Time)) {
        self.memory[60..].fill(0);
        let direction = Direction::Read { to: 60, bytes: 4, found: Some(found.to_vec()) };
        self.post(OTHER, 0, direction, times, End::Well);
    }

    fn set(&mut self, from: usize, value: u8) {
        self.memory[from..from + 4].fill(value);
    }

    /// The rule that the model finds broken.
    fn judge(&self) -> Option<Rule> {
        let zeros = vec![0; BYTES_OF_ALL];
        let lives = [WRITER, OTHER, OWNER];
        let mut others = vec![(WRITER, zeros.clone(), self.refused), (OTHER, zeros.clone(), 0)];
        if let Some(Direction::Read { found: Some(found), .. }) = self.posts.last().map(|post| &post.direction) {
            others[1].1[60..].copy_from_slice(found);
        }
        others.push((OWNER, self.memory.clone(), 0));
        let seen = Seen {
            begun: lives.map(|life| (life, zeros.clone())).to_vec(),
            posts: self.posts.clone(),
            told: self.told.clone(),
            now: others,
        };
        let buffers = BTreeMap::from([(NAME, self.buffer.clone())]);
        Model::default().judge(1000, &[seen], &buffers, &self.restarts).err().map(|wrong| wrong.rule)
    }
}

#[test]
fn bytes_must_come_and_no_others() {
    let mut bench = Bench::new();
    bench.write(WRITER, 0, 5, (10, 20));
    assert_eq!(bench.judge(), Some(BYTES));
    bench.set(8, 5);
    assert_eq!(bench.judge(), None);
    bench.memory[12] = 5;
    assert_eq!(bench.judge(), Some(BYTES));
    bench.memory[12] = 0;
    bench.memory[63] = 1;
    assert_eq!(bench.judge(), Some(BYTES), "far from every buffer");
}

#[test]
fn the_later_of_two_writes_stays_and_either_of_two_at_once() {
    let outcome = |by, second: (Time, Time), value| {
        let mut bench = Bench::new();
        bench.write(WRITER, 0, 5, (10, 20));
        bench.write(by, 0, 6, second);
        bench.set(8, value);
        bench.judge()
    };
    assert_eq!([5, 6, 7].map(|value| outcome(OTHER, (15, 30), value)), [None, None, Some(BYTES)]);
    assert_eq!([5, 6].map(|value| outcome(OTHER, (21, 30), value)), [Some(BYTES), None]);
    // Writes of one process are in order, however much they overlap.
    assert_eq!([5, 6].map(|value| outcome(WRITER, (10, 20), value)), [Some(BYTES), None]);
}

#[test]
fn a_read_brings_what_stood_there_at_some_time() {
    let outcome = |times, found| {
        let mut bench = Bench::new();
        bench.write(WRITER, 0, 5, (10, 20));
        bench.set(8, 5);
        bench.read([found; 4], times);
        bench.judge()
    };
    assert_eq!([0, 5, 6].map(|found| outcome((15, 30), found)), [None, None, Some(READS)]);
    assert_eq!([0, 5].map(|found| outcome((20, 30), found)), [Some(READS), None]);
    assert_eq!([0, 5].map(|found| outcome((2, 9), found)), [None, Some(READS)]);
}

#[test]
fn posts_end_as_they_must() {
    let outcome = |change: &dyn Fn(&mut Bench), end, refused| {
        let mut bench = Bench::new();
        bench.write(WRITER, 0, 0, (10, 20)).end = Some((20, end));
        change(&mut bench);
        bench.refused = refused;
        bench.judge()
    };
    let fine: &dyn Fn(&mut Bench) = &|_| ();
    assert_eq!(outcome(fine, End::Well, 0), None);
    assert_eq!(outcome(fine, End::Refused, 1), Some(ENDS));
    assert_eq!(outcome(fine, End::Well, 1), Some(ENDS), "the status page counts another");
    let wrongs: [&dyn Fn(&mut Bench); 5] = [
        &|bench| bench.posts[0].right_key = false,
        &|bench| bench.posts[0].buffer = None,
        &|bench| bench.posts[0].offset = 29,
        &|bench| bench.buffer.may_write = false,
        &|bench| (bench.buffer.end_begun, bench.buffer.ended) = (Some(5), Some(9)),
    ];
    for wrong in wrongs {
        assert_eq!(outcome(wrong, End::Refused, 1), None);
        assert_eq!(outcome(wrong, End::Well, 0), Some(ENDS));
        assert_eq!(outcome(wrong, End::Unclear, 1), None);
        assert_eq!(outcome(wrong, End::Unclear, 0), Some(ENDS), "it was refused, and nobody counted it");
    }
    let meanwhile: &dyn Fn(&mut Bench) = &|bench| bench.buffer.end_begun = Some(15);
    assert_eq!([0, 1].map(|refused| outcome(meanwhile, [End::Well, End::Refused][refused], refused as u64)), [None; 2]);
    let hole: &dyn Fn(&mut Bench) = &|bench| bench.posts[0].hole = true;
    assert_eq!(outcome(hole, End::BadMemory, 1), None);
    assert_eq!(outcome(hole, End::Refused, 1), Some(ENDS));
    assert_eq!(outcome(&|bench| bench.posts[0].end = None, End::Well, 0), None, "its process ended");
}

#[test]
fn who_listens_is_told_once_and_in_order() {
    let outcome = |numbers: &[u32], end_offset, end_begun| {
        let mut bench = Bench::new();
        for _ in 0..2 {
            let direction = Direction::Write { data: vec![0; 4], notify: true };
            bench.post(WRITER, 4, direction, (10, 20), End::Well);
        }
        bench.told = numbers.iter().map(|number| Told { buffer: NAME, number: *number, end_offset }).collect();
        bench.buffer.end_begun = end_begun;
        bench.judge()
    };
    assert_eq!(outcome(&[0, 1], 8, None), None);
    assert_eq!(outcome(&[1, 0], 8, None), Some(TOLD));
    assert_eq!(outcome(&[0, 0], 8, None), Some(TOLD));
    assert_eq!(outcome(&[0], 8, None), Some(TOLD));
    assert_eq!(outcome(&[0], 8, Some(25)), None, "the listener has gone");
    assert_eq!(outcome(&[0, 1], 9, None), Some(TOLD), "it ends elsewhere");
    assert_eq!(outcome(&[0, 1, 2], 8, None), Some(TOLD), "nobody wrote that");
}

/// A post may end for the restart of its peer only while the restart goes on, and then
/// counts as a post that ended badly.
#[test]
fn only_a_post_that_meets_the_restart_of_its_peer_is_lost() {
    let lost = |times: (Time, Time), node: usize, over: Option<Time>| {
        let mut bench = Bench::new();
        bench.buffer.end_begun = Some(100);
        bench.buffer.ended = Some(150);
        bench.restarts = vec![Restart { node, begun: 100, over }];
        bench.post(WRITER, 0, Direction::Write { data: vec![1; 4], notify: false }, times, End::Lost);
        bench.refused = 1;
        bench.judge()
    };
    assert_eq!(lost((50, 120), OWNER.node, Some(200)), None, "it was under way");
    assert_eq!(lost((180, 190), OWNER.node, Some(200)), None, "not every peer knew of the session");
    assert_eq!(lost((180, 190), OWNER.node, None), None);
    assert_eq!(lost((50, 90), OWNER.node, Some(200)), Some(ENDS), "it ended before");
    assert_eq!(lost((210, 220), OWNER.node, Some(200)), Some(ENDS), "it began after");
    assert_eq!(lost((50, 120), WRITER.node, Some(200)), Some(ENDS), "another node started again");
}
