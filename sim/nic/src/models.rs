//! The builds of the RTL.

use verilated::{AnyModel, Context, Error};

// Only some builds' constants are asked for.
verilated::include_model!("NicTigon2");
verilated::include_model!("NicTigon2Waves");
#[cfg(feature = "vcd")]
verilated::include_model!("NicTigon2Vcd");
verilated::include_model!("NicTigon2Pair");
verilated::include_model!("NicTigon2PairWaves");
verilated::include_model!("NicLanai9");
verilated::include_model!("NicLanai9Waves");

/// Any build of `nic_top`: they have the same pins.
pub(crate) type Top = AnyModel<NicTigon2Pins>;

/// The parameters of a platform's NIC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParameterSet {
    /// 512 KB of SRAM.
    Tigon2,
    /// The same with two cores.
    Tigon2Pair,
    /// 2 MB of SRAM.
    Lanai9,
}

impl ParameterSet {
    /// All parameter sets.
    pub const ALL: [ParameterSet; 3] = [ParameterSet::Tigon2, ParameterSet::Tigon2Pair, ParameterSet::Lanai9];

    /// Size of the SRAM in bytes.
    pub const fn sram_bytes(self) -> u32 {
        match self {
            ParameterSet::Tigon2 | ParameterSet::Tigon2Pair => 512 * 1024,
            ParameterSet::Lanai9 => 2048 * 1024,
        }
    }

    /// Cores: 1 or 2.
    pub const fn cores(self) -> u32 {
        match self {
            ParameterSet::Tigon2Pair => 2,
            ParameterSet::Tigon2 | ParameterSet::Lanai9 => 1,
        }
    }

    /// The name of the parameter set.
    pub const fn name(self) -> &'static str {
        match self {
            ParameterSet::Tigon2 => "tigon2",
            ParameterSet::Tigon2Pair => "tigon2 with two cores",
            ParameterSet::Lanai9 => "lanai9",
        }
    }

    pub(crate) fn build(self, waves: bool, context: Context) -> Result<Top, Error> {
        Ok(match (self, waves) {
            (ParameterSet::Tigon2, false) => NicTigon2::new(context)?.into(),
            (ParameterSet::Tigon2, true) => NicTigon2Waves::new(context)?.into(),
            (ParameterSet::Tigon2Pair, false) => NicTigon2Pair::new(context)?.into(),
            (ParameterSet::Tigon2Pair, true) => NicTigon2PairWaves::new(context)?.into(),
            (ParameterSet::Lanai9, false) => NicLanai9::new(context)?.into(),
            (ParameterSet::Lanai9, true) => NicLanai9Waves::new(context)?.into(),
        })
    }
}

#[cfg(feature = "vcd")]
pub(crate) fn tigon2_with_vcd(context: Context) -> Result<Top, Error> {
    Ok(NicTigon2Vcd::new(context)?.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_falling_edge_of_the_nic_needs_an_evaluation() {
        const {
            assert!(NicTigon2::POSEDGE_ONLY && NicTigon2Waves::POSEDGE_ONLY);
            assert!(NicTigon2Pair::POSEDGE_ONLY && NicTigon2PairWaves::POSEDGE_ONLY);
            assert!(NicLanai9::POSEDGE_ONLY && NicLanai9Waves::POSEDGE_ONLY);
        }
    }

    /// With Debian's Verilator; newer ones generate code that is left to itself.
    #[test]
    fn edges_of_the_nic_are_evaluated_directly() {
        if NicTigon2::VERILATOR == "5.006" {
            let direct = [
                NicTigon2::DIRECT_EDGES,
                NicTigon2Waves::DIRECT_EDGES,
                NicTigon2Pair::DIRECT_EDGES,
                NicTigon2PairWaves::DIRECT_EDGES,
                NicLanai9::DIRECT_EDGES,
                NicLanai9Waves::DIRECT_EDGES,
            ];
            assert_eq!(direct, [true; 6]);
        }
    }

    #[test]
    fn unchanged_inputs_of_the_nic_cost_nothing() {
        const {
            assert!(NicTigon2::KNOWS_UNCHANGED_INPUTS && NicTigon2Waves::KNOWS_UNCHANGED_INPUTS);
            assert!(NicTigon2Pair::KNOWS_UNCHANGED_INPUTS && NicTigon2PairWaves::KNOWS_UNCHANGED_INPUTS);
            assert!(NicLanai9::KNOWS_UNCHANGED_INPUTS && NicLanai9Waves::KNOWS_UNCHANGED_INPUTS);
        }
    }
}
