//! A host with other work: programs that compute beside those that use the NIC, and what that does
//! to the driver.
//!
//! Nothing of this is measured on a real machine: it is a model of why the thesis's misses take as
//! long as they do (MN-6, MN-7), and its numbers are parameters of a run ([`Load`]). Without it,
//! hosts are idle and every delay is the constant of the platform file.

use rand_chacha::rand_core::{RngCore, SeedableRng};
use rand_chacha::ChaCha8Rng;
use sim_pins::Ps;

use crate::executor::Sim;
use crate::processor::{Priority, Processors};

/// What a run says of the other work of its hosts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Load {
    /// Programs that compute all the time, at a priority below every task that waits for the NIC.
    pub programs: u32,
    /// Share of their time, in percent, that they spend in the kernel, where no thread takes their
    /// processor from them.
    pub kernel_percent: u32,
    /// The shortest stay in the kernel; see [`Draw::section`].
    pub kernel_section: Ps,
    /// The miss thread is scheduled so much earlier or later than `irq_to_thread_ns`, at most.
    pub thread_spread: Ps,
    /// Filling a page with zeros: of each page that pinning brings into being.
    pub page_fill: Ps,
}

/// Times of a load, drawn from a seed with whole numbers, so that they are the same everywhere.
pub struct Draw(ChaCha8Rng);

/// A stay in the kernel is doubled so often at most.
const DOUBLED_MAX: u32 = 6;

impl Draw {
    /// Streams of one seed are independent.
    pub fn new(seed: u64, stream: u64) -> Draw {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        random.set_stream(stream);
        Draw(random)
    }

    /// 0 to `limit`.
    pub fn below(&mut self, limit: Ps) -> Ps {
        Ps(((u128::from(self.0.next_u64()) * (u128::from(limit.0) + 1)) >> 64) as u64)
    }

    /// A stay in the kernel: `shortest` times one to two, doubled as long as a coin shows heads.
    /// Few are long.
    pub fn section(&mut self, shortest: Ps) -> Ps {
        let doubled = self.0.next_u32().trailing_ones().min(DOUBLED_MAX);
        Ps((shortest + self.below(shortest)).0 << doubled)
    }

    /// `middle`, up to `spread` less or more.
    pub fn around(&mut self, middle: Ps, spread: Ps) -> Ps {
        (middle + self.below(spread + spread)).saturating_sub(spread)
    }
}

/// The mean of [`Draw::section`], in halves of the shortest section: 1.5 times the mean of the
/// doublings.
const MEAN_SECTION_HALVES: u64 = 3 * (DOUBLED_MAX as u64 + 2) / 2;

/// Starts the programs. They never end.
pub fn spawn(sim: &Sim, processors: &Processors, load: Load, seed: u64) {
    for program in 0..load.programs {
        let computes = processors.cpu("other program", Priority::Background);
        // Interrupts are served meanwhile; a thread of the kernel waits.
        let in_kernel = processors.cpu("other program", Priority::KernelThread);
        let mut draw = Draw::new(seed, u64::from(program) + 1);
        let mean = Ps(load.kernel_section.0 * MEAN_SECTION_HALVES / 2);
        let percent = u64::from(load.kernel_percent.clamp(1, 99));
        let computing = Ps(mean.0 * (100 - percent) / percent);
        sim.spawn("other program", async move {
            loop {
                computes.charge("compute", draw.below(computing + computing)).await;
                if load.kernel_percent > 0 {
                    in_kernel.charge("kernel", draw.section(load.kernel_section)).await;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::Executor;

    const LOAD: Load = Load {
        programs: 2,
        kernel_percent: 20,
        kernel_section: Ps::from_us(5),
        thread_spread: Ps::from_us(8),
        page_fill: Ps::from_us(4),
    };

    #[test]
    fn sections_are_mostly_short_and_never_endless() {
        let mut draw = Draw::new(1, 0);
        let shortest = Ps::from_us(5);
        let sections: Vec<Ps> = (0..10_000).map(|_| draw.section(shortest)).collect();
        assert!(sections.iter().all(|section| (shortest..=Ps::from_us(640)).contains(section)));
        let short = sections.iter().filter(|section| **section <= Ps::from_us(20)).count();
        assert!((7000..8000).contains(&short), "{short}");
        let mean_us = sections.iter().map(|section| section.0).sum::<u64>() as f64 / 1e10;
        let expected_us = 5.0 * MEAN_SECTION_HALVES as f64 / 2.0;
        assert!((mean_us / expected_us - 1.0).abs() < 0.05, "{mean_us} us, {expected_us} us");
    }

    #[test]
    fn around_stays_within_its_spread() {
        let mut draw = Draw::new(1, 0);
        let drawn: Vec<Ps> = (0..1000).map(|_| draw.around(Ps::from_us(15), Ps::from_us(8))).collect();
        assert!(drawn.iter().all(|at| (Ps::from_us(7)..=Ps::from_us(23)).contains(at)));
        assert!(drawn.iter().any(|at| *at < Ps::from_us(8)) && drawn.iter().any(|at| *at > Ps::from_us(22)));
        assert_eq!(draw.around(Ps::from_us(15), Ps::ZERO), Ps::from_us(15));
    }

    #[test]
    fn programs_take_what_is_left_and_their_kernel_share() {
        let mut executor = Executor::new();
        let sim = executor.sim();
        let processors = Processors::new(sim.clone(), 2, 1_000_000_000);
        spawn(&sim, &processors, LOAD, 7);
        executor.run_until(Ps::from_us(200_000));
        let usage = processors.usage();
        let of = |label| usage.get(&("other program", label)).copied().unwrap_or_default().0 as f64;
        let share = of("kernel") / (of("kernel") + of("compute"));
        assert!((share - 0.2).abs() < 0.02, "{share}");
        let busy = (of("kernel") + of("compute")) / (2.0 * Ps::from_us(200_000).0 as f64);
        assert!(busy > 0.99, "{busy}");
    }

    #[test]
    fn a_kernel_thread_waits_for_the_kernel_only() {
        let mut executor = Executor::new();
        let sim = executor.sim();
        let processors = Processors::new(sim.clone(), 1, 1_000_000_000);
        let load = Load { programs: 1, kernel_percent: 50, ..LOAD };
        spawn(&sim, &processors, load, 7);
        let thread = processors.cpu("thread", Priority::KernelThread);
        let waits = sim.clone();
        let task = sim.spawn("thread", async move {
            let mut longest = Ps::ZERO;
            for _ in 0..200 {
                waits.sleep_for(Ps::from_us(97)).await;
                let begin = waits.now();
                thread.charge("work", Ps::from_us(1)).await;
                longest = longest.max(waits.now() - begin);
            }
            longest
        });
        executor.run_until(Ps::from_us(400_000));
        let longest = task.take().expect("it has ended");
        assert!(longest > Ps::from_us(20) && longest <= Ps::from_us(641), "{longest}");
    }
}
