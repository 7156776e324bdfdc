/// The ways of a set in the order of their last use: four bits each, the latest in the lowest
/// (INV-14).
///
/// Always a permutation of the ways. A damaged word (the driver can write it) yields other victims,
/// but no way beyond 15 and no endless loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Recency(pub u32);

impl Recency {
    /// The way that was used last.
    #[inline(always)]
    pub const fn latest(self) -> u32 {
        self.0 & 0xF
    }

    /// The way at a position: 0 is the latest.
    #[inline(always)]
    pub const fn at(self, position: u32) -> u32 {
        (self.0 >> (4 * position)) & 0xF
    }

    /// Makes the way at `position` the latest; those before it move back by one.
    #[inline(always)]
    pub const fn to_front(self, position: u32) -> Recency {
        let way = self.at(position);
        let before = self.0 & !(u32::MAX << (4 * position));
        let behind = self.0 & (0xFFFF_FFF0 << (4 * position));
        Recency(behind | before << 4 | way)
    }

    /// Makes the way at `position` the least recent of `ways`; those behind it move forward by one.
    #[inline(always)]
    pub const fn to_back(self, position: u32, ways: u32) -> Recency {
        let way = self.at(position);
        let before = self.0 & !(u32::MAX << (4 * position));
        let behind = (self.0 >> 4) & (u32::MAX << (4 * position));
        Recency(before | behind | way << (4 * (ways - 1)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn order(recency: Recency, ways: u32) -> Vec<u32> {
        (0..ways).map(|position| recency.at(position)).collect()
    }

    proptest! {
        #[test]
        fn moves_agree_with_a_list(log2_ways in 1u32..=3, moves in prop::collection::vec((0u32..8, any::<bool>()), 0..50)) {
            let ways = 1 << log2_ways;
            let mut recency = Recency(nic_layout::vmh::replacement_reset(ways));
            let mut list: Vec<u32> = (0..ways).collect();
            for (position, front) in moves {
                let position = position % ways;
                let way = list.remove(position as usize);
                if front {
                    list.insert(0, way);
                    recency = recency.to_front(position);
                } else {
                    list.push(way);
                    recency = recency.to_back(position, ways);
                }
                prop_assert_eq!(order(recency, ways), list.clone());
                prop_assert!(ways == 8 || recency.0 >> (4 * ways) == 0);
            }
        }
    }
}
