//! The semaphore.

use super::*;

#[derive(Clone, Copy, Debug)]
enum Step {
    Ask(bool),
    Release(bool),
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The queue of cores that want the semaphore is at most two long. The first is the owner.
    #[test]
    fn the_semaphore_has_one_owner_in_the_order_of_asking(
        steps in prop::collection::vec((any::<bool>(), any::<bool>()), 1..40),
    ) {
        let mut b = bench();
        let mut queue: Vec<bool> = Vec::new();
        for (release, core_b) in steps {
            let step = if release { Step::Release(core_b) } else { Step::Ask(core_b) };
            match step {
                Step::Ask(core_b) => {
                    let at = if core_b { semaphore::CORE_B.offset() } else { semaphore::CORE_A.offset() };
                    b.write_bytes(Who::Core, at, 0, ALL_BYTES).unwrap();
                    if !queue.contains(&core_b) {
                        queue.push(core_b);
                    }
                }
                Step::Release(core_b) => {
                    let value = u32::from(core_b);
                    b.write_bytes(Who::Core, semaphore::RELEASE.offset(), value, ALL_BYTES).unwrap();
                    queue.retain(|&waiting| waiting != core_b);
                }
            }
            let a = b.read(Who::Core, semaphore::CORE_A).unwrap().owned();
            let other = b.read(Who::Core, semaphore::CORE_B).unwrap().owned();
            prop_assert_eq!(a, queue.first() == Some(&false));
            prop_assert_eq!(other, queue.first() == Some(&true));
        }
    }
}
