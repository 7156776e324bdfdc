//! What can happen to frames. Layers stand in a stack; the first layer that takes a frame decides
//! its fate.

use std::ops::Range;

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim_pins::Ps;

/// What a layer decides for a frame at its first symbol. The length of the frame is not known then.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The layer leaves the frame to the layers below, and then to its receiver.
    Pass,
    /// The frame never arrives.
    Lose,
    /// Byte offsets, counted from the first byte of the preamble, and what they are XORed with.
    Corrupt(Vec<(u32, u8)>),
    /// Delivered in time, and once more when the line is free.
    Duplicate,
    /// Held for this long and sent when the line is free then; frames behind it overtake.
    Delay(Ps),
}

/// How a frame ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// Arrived unchanged and in time.
    Delivered,
    /// Never arrived.
    Lost,
    /// Arrived with changed bytes.
    Corrupted,
    /// Arrived twice.
    Duplicated,
    /// Arrived later than frames behind it, or than without the fault.
    Delayed,
}

/// A layer of the stack. It may only use `frame_idx`, `random` and what it decided before, so that
/// a seed replays.
pub trait Fault: Send {
    /// The name of the layer in counts.
    fn name(&self) -> &str;

    /// `random` is a fresh sequence for each frame and layer.
    fn fate(&mut self, frame_idx: u64, random: &mut ChaCha8Rng) -> Fate;
}

/// The layers of one direction of a link.
pub(crate) struct FaultStack {
    layers: Vec<Box<dyn Fault>>,
    random: ChaCha8Rng,
}

impl FaultStack {
    /// `stream` tells the directions of a run apart.
    pub(crate) fn new(layers: Vec<Box<dyn Fault>>, seed: u64, stream: u64) -> FaultStack {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        FaultStack { layers, random }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.layers.iter().map(|layer| layer.name())
    }

    /// The fate of a frame, and the layer it comes from.
    pub(crate) fn decide(&mut self, frame_idx: u64) -> (Fate, Option<usize>) {
        // A place of its own in the random sequence for each frame and layer, so that the layers do
        // not shift each other.
        const WORDS_PER_LAYER: u128 = 64;
        const LAYERS_MAX: u128 = 64;
        for (i, layer) in self.layers.iter_mut().enumerate() {
            self.random.set_word_pos((u128::from(frame_idx) * LAYERS_MAX + i as u128) * WORDS_PER_LAYER);
            let fate = layer.fate(frame_idx, &mut self.random);
            if fate != Fate::Pass {
                return (fate, Some(i));
            }
        }
        (Fate::Pass, None)
    }
}

/// True with a probability from 0 to 1.
fn chance(probability: f64, random: &mut ChaCha8Rng) -> bool {
    // 53 random bits fill the mantissa of a number in [0, 1).
    let draw = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    draw < probability
}

/// Uniform enough in a short range.
fn within(range: &Range<u64>, random: &mut ChaCha8Rng) -> u64 {
    let width = u128::from(range.end - range.start);
    range.start + ((u128::from(random.next_u64()) * width) >> 64) as u64
}

/// Loses frames independently of each other.
#[derive(Clone, Debug)]
pub struct Loss {
    /// Name of the layer.
    pub name: String,
    /// Share of the frames that are lost, from 0 to 1.
    pub probability: f64,
}

impl Fault for Loss {
    fn name(&self) -> &str {
        &self.name
    }

    fn fate(&mut self, _: u64, random: &mut ChaCha8Rng) -> Fate {
        if chance(self.probability, random) {
            Fate::Lose
        } else {
            Fate::Pass
        }
    }
}

/// Loses exactly the frames of these numbers, counted from 0.
#[derive(Clone, Debug)]
pub struct LossOfFrames {
    /// Name of the layer.
    pub name: String,
    /// Numbers of the frames that are lost, counted from 0 in each direction of a link.
    pub frames: Vec<u64>,
}

impl Fault for LossOfFrames {
    fn name(&self) -> &str {
        &self.name
    }

    fn fate(&mut self, frame_idx: u64, _: &mut ChaCha8Rng) -> Fate {
        if self.frames.contains(&frame_idx) {
            Fate::Lose
        } else {
            Fate::Pass
        }
    }
}

/// Changes bytes.
#[derive(Clone, Debug)]
pub struct Corruption {
    /// Name of the layer.
    pub name: String,
    /// Share of the frames that are hit, from 0 to 1.
    pub probability: f64,
    /// How many bytes of a frame are hit, 1 to 16. Two hits may meet in a byte.
    pub bytes: u32,
    /// Where: offsets from the first byte of the preamble. A frame that ends before is not hit and
    /// counts as delivered.
    pub offsets: Range<u32>,
}

impl Corruption {
    /// From the destination address to the end of the shortest frame: surely hit.
    pub const ANY_FRAME: Range<u32> = 8..72;
}

impl Fault for Corruption {
    fn name(&self) -> &str {
        &self.name
    }

    fn fate(&mut self, _: u64, random: &mut ChaCha8Rng) -> Fate {
        if !chance(self.probability, random) {
            return Fate::Pass;
        }
        let offsets = u64::from(self.offsets.start)..u64::from(self.offsets.end);
        let hits = (0..self.bytes.clamp(1, 16)).map(|_| {
            let offset = within(&offsets, random) as u32;
            (offset, within(&(1..256), random) as u8)
        });
        Fate::Corrupt(hits.collect())
    }
}

/// Delivers frames twice.
#[derive(Clone, Debug)]
pub struct Duplication {
    /// Name of the layer.
    pub name: String,
    /// Share of the frames that arrive twice, from 0 to 1.
    pub probability: f64,
}

impl Fault for Duplication {
    fn name(&self) -> &str {
        &self.name
    }

    fn fate(&mut self, _: u64, random: &mut ChaCha8Rng) -> Fate {
        if chance(self.probability, random) {
            Fate::Duplicate
        } else {
            Fate::Pass
        }
    }
}

/// Delays frames, so that others overtake them.
#[derive(Clone, Debug)]
pub struct Delay {
    /// Name of the layer.
    pub name: String,
    /// Share of the frames that are held, from 0 to 1.
    pub probability: f64,
    /// The shortest and the longest delay.
    pub by: Range<Ps>,
}

impl Fault for Delay {
    fn name(&self) -> &str {
        &self.name
    }

    fn fate(&mut self, _: u64, random: &mut ChaCha8Rng) -> Fate {
        if chance(self.probability, random) {
            Fate::Delay(Ps(within(&(self.by.start.0..self.by.end.0.max(self.by.start.0 + 1)), random)))
        } else {
            Fate::Pass
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(seed: u64, stream: u64) -> FaultStack {
        let loss = Loss { name: "loss".into(), probability: 0.25 };
        let delay = Delay { name: "delay".into(), probability: 0.5, by: Ps(10)..Ps(20) };
        FaultStack::new(vec![Box::new(loss), Box::new(delay)], seed, stream)
    }

    #[test]
    fn a_fate_depends_on_seed_direction_and_frame_only() {
        let in_order: Vec<_> = (0..200).map(|k| stack(7, 1).decide(k)).collect();
        let mut one = stack(7, 1);
        let mut backwards: Vec<_> = (0..200).rev().map(|k| one.decide(k)).collect();
        backwards.reverse();
        assert_eq!(in_order, backwards);
        let of = |seed, stream| (0..200).map(|k| stack(seed, stream).decide(k)).collect::<Vec<_>>();
        assert!(of(7, 1) != of(8, 1) && of(7, 1) != of(7, 2));
    }

    #[test]
    fn layers_take_their_share() {
        let mut stack = stack(1, 0);
        let fates: Vec<_> = (0..10_000).map(|k| stack.decide(k)).collect();
        let of = |layer| fates.iter().filter(|(_, by)| *by == layer).count();
        assert!((2_300..2_700).contains(&of(Some(0))), "a quarter is lost");
        assert!((3_500..4_000).contains(&of(Some(1))), "half of the rest is late");
        assert!(fates.iter().all(|(fate, _)| match fate {
            Fate::Delay(by) => (10..20).contains(&by.0),
            _ => true,
        }));
    }

    #[test]
    fn corruption_always_changes_a_byte() {
        let mut layer = Corruption { name: "bits".into(), probability: 1.0, bytes: 1, offsets: Corruption::ANY_FRAME };
        let mut random = ChaCha8Rng::seed_from_u64(3);
        for k in 0..1000 {
            let Fate::Corrupt(hits) = layer.fate(k, &mut random) else { panic!("always") };
            assert!(hits.len() == 1 && (8..72).contains(&hits[0].0) && hits[0].1 != 0);
        }
    }
}
