//! Claims and bells on one core after the other, against a dull model.

use nic_handoff::{tell, Bell, Claims, Core, Semaphore};
use proptest::prelude::*;

/// A semaphore that counts how often it was owned.
#[derive(Default)]
struct Lock(u32);

impl Semaphore for Lock {
    fn with<R>(&mut self, work: impl FnOnce() -> R) -> R {
        self.0 += 1;
        work()
    }
}

fn claims() -> (Vec<u32>, [Claims; 2]) {
    let mut words = vec![0xDEAD_BEEF; 4];
    let cores = [Claims::at(&words, 4, Core::A), Claims::at(&words, 4, Core::B)];
    cores[0].clear(&mut words);
    (words, cores)
}

#[test]
fn the_lowest_ready_part_that_the_other_core_does_not_run_is_claimed() {
    let (mut words, [a, b]) = claims();
    let mut lock = Lock::default();
    assert_eq!(a.claim(&mut words, &mut lock, 0b0110), Some(1));
    assert_eq!(b.running_elsewhere(&words), 0b0010);
    assert_eq!(b.claim(&mut words, &mut lock, 0b0110), Some(2));
    a.release(&mut words);
    assert_eq!(a.claim(&mut words, &mut lock, 0b0100), None);
    b.release(&mut words);
    assert_eq!(a.claim(&mut words, &mut lock, 0b0100), Some(2));
    assert_eq!(b.claim(&mut words, &mut lock, 1 << 31), Some(31));
    assert_eq!(words[3], 0xDEAD_BEEF);
}

#[test]
fn only_a_claim_of_ready_parts_takes_the_semaphore() {
    let (mut words, [a, _]) = claims();
    let mut lock = Lock::default();
    assert_eq!(a.claim(&mut words, &mut lock, 0), None);
    assert_eq!(lock.0, 0);
    assert_eq!(a.claim(&mut words, &mut lock, 1), Some(0));
    a.release(&mut words);
    assert_eq!(lock.0, 1);
}

/// A bell that counts how often it was rung.
#[derive(Default)]
struct Counted {
    rung: bool,
    rings: u32,
}

impl Bell for Counted {
    fn is_rung(&self) -> bool {
        self.rung
    }

    fn ring(&mut self) {
        self.rung = true;
        self.rings += 1;
    }

    fn clear(&mut self) {
        self.rung = false;
    }
}

#[test]
fn a_bell_that_rings_is_not_rung_again() {
    let mut bell = Counted::default();
    tell(&mut bell);
    tell(&mut bell);
    assert_eq!((bell.rung, bell.rings), (true, 1));
    bell.clear();
    tell(&mut bell);
    assert_eq!((bell.rung, bell.rings), (true, 2));
}

proptest! {
    #[test]
    fn claims_are_the_parts_that_the_cores_run(steps in prop::collection::vec((any::<bool>(), any::<u8>()), 1..60)) {
        let (mut words, cores) = claims();
        let mut runs = [None; 2];
        for (core, ready) in steps {
            let (own, other) = (usize::from(core), usize::from(!core));
            if runs[own].take().is_some() {
                cores[own].release(&mut words);
            } else {
                let expected = (0..8).find(|part| ready >> part & 1 == 1 && runs[other] != Some(*part));
                let claimed = cores[own].claim(&mut words, &mut Lock::default(), u32::from(ready));
                prop_assert_eq!(claimed, expected);
                runs[own] = claimed;
            }
            let running = runs[own].map_or(0, |part| 1 << part);
            prop_assert_eq!(cores[other].running_elsewhere(&words), running);
        }
    }
}
