//! How EMP cuts messages, matches them, and shares them between cores: a line of a case.
//!
//! ```text
//! emp {"collection_frames":5,"scheme":"dsr"}
//! ```
//!
//! The line has the keys of a scenario whose values are not the usual ones. A case without such
//! keys has no line.

use std::sync::LazyLock;

use nic_layout::personality::emp::{COLLECTION_FRAMES, COLLECTION_FRAMES_MAX};
use nicscope_scenario::error::Result;
use nicscope_scenario::request_error;
use nicscope_scenario::scenario::{Emp, Matching, Scheme};
use serde_json::{Map, Value};

use crate::random::Random;

/// The begin of the line.
pub const LINE: &str = "emp ";

/// Bytes of the longest frame in the lists.
const MTU_BYTES_MAX: u32 = 9000;

static OF_USUAL: LazyLock<Map<String, Value>> = LazyLock::new(|| keys(&Emp::USUAL));

/// A written scenario leaves out what has no value, never more.
fn keys(emp: &Emp) -> Map<String, Value> {
    match serde_json::to_value(emp) {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    }
}

/// What stands behind [`LINE`]; empty if all values are the usual ones.
pub fn text(emp: &Emp) -> String {
    let mut keys = keys(emp);
    keys.retain(|key, value| OF_USUAL.get(key) != Some(value));
    if keys.is_empty() {
        return String::new();
    }
    Value::Object(keys).to_string()
}

/// The settings of what stands behind [`LINE`].
///
/// # Errors
/// It has no such keys, or values that no NIC takes.
pub fn of_text(text: &str) -> Result<Emp> {
    let wrong = |error: &dyn std::fmt::Display| {
        request_error!("`{LINE}{text}`: {error}; such as `{LINE}{{\"collection_frames\":5}}` was expected")
    };
    let emp: Emp = serde_json::from_str(text).map_err(|error| wrong(&error))?;
    // The cores of the case decide whether a scheme fits.
    emp.check(true, 2).map_err(|error| wrong(&error))?;
    Ok(emp)
}

/// Settings with fewer of the unusual values, the simplest first.
pub fn simpler(emp: &Emp) -> impl Iterator<Item = Emp> {
    let Emp { scheme, .. } = *emp;
    let base = scheme.map(|_| Scheme::Base);
    let tries = [
        Emp { scheme, ..Emp::USUAL },
        Emp { mtu_bytes: Emp::USUAL.mtu_bytes, ..*emp },
        Emp { collection_frames: Emp::USUAL.collection_frames, ..*emp },
        Emp { matching: Emp::USUAL.matching, ..*emp },
        Emp { flow_control: false, slow_below: Emp::USUAL.slow_below, slower_below: Emp::USUAL.slower_below, ..*emp },
        Emp { scheme: base, ..*emp },
    ];
    let emp = *emp;
    tries.into_iter().filter(move |other| *other != emp)
}

/// Random settings for NICs with so many cores.
pub fn draw(random: &mut Random, cores: u32) -> Emp {
    let scheme = random.one_of(&[
        (1, Scheme::Base),
        (2, Scheme::So),
        (2, Scheme::Ro),
        (3, Scheme::Dsr),
        (3, Scheme::Sr),
        (3, Scheme::Dynamic),
    ]);
    let mtu_bytes = match random.weighted(&[8, 2, 1, 1]) {
        0 => Emp::USUAL.mtu_bytes,
        1 => MTU_BYTES_MAX,
        2 => random.number(200..=1499),
        _ => random.number(1501..=MTU_BYTES_MAX),
    };
    let collection_frames = match random.weighted(&[3, 1]) {
        0 => COLLECTION_FRAMES,
        _ => random.number(1..=COLLECTION_FRAMES_MAX),
    };
    // A NIC with jumbo frames has few buffers.
    let marks = [(8, 2), (16, 4), (4, 1)];
    let (slow_below, slower_below) = marks[random.index(0..marks.len())];
    let flow_control = random.chance(0.3);
    let matching = random.one_of(&[(3, Matching::Linear), (1, Matching::Hashed)]);
    Emp {
        mtu_bytes,
        collection_frames,
        scheme: (cores == 2).then_some(scheme),
        matching,
        ..if flow_control { Emp { flow_control, slow_below, slower_below, ..Emp::USUAL } } else { Emp::USUAL }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drawn_settings_are_their_own_text_and_each_value_occurs() {
        let drawn: Vec<Emp> = (0..200).map(|number| draw(&mut Random::new(3, number), 2)).collect();
        for emp in &drawn {
            let text = text(emp);
            assert_eq!(of_text(if text.is_empty() { "{}" } else { &text }).expect("its own text"), *emp);
        }
        let has = |what: fn(&Emp) -> bool| drawn.iter().any(what);
        assert!(Scheme::ALL.iter().all(|scheme| drawn.iter().any(|emp| emp.scheme == Some(*scheme))));
        assert!(has(|emp| emp.flow_control) && has(|emp| emp.mtu_bytes > 1500) && has(|emp| emp.mtu_bytes < 1500));
        assert!(has(|emp| emp.matching == Matching::Hashed) && has(|emp| emp.collection_frames == 1));
    }

    #[test]
    fn what_is_simpler_ends_at_the_usual_values() {
        let mut emp = draw(&mut Random::new(3, 1), 2);
        while let Some(last) = simpler(&emp).last() {
            emp = last;
        }
        assert_eq!(Emp { scheme: None, ..emp }, Emp::USUAL);
    }

    #[test]
    fn wrong_text_says_what_would_be_right() {
        let error = |text: &str| of_text(text).expect_err("it is wrong").to_string();
        assert!(error("five").contains("collection_frames"));
        assert!(error("{\"speed\":1}").contains("speed"));
        assert!(error("{\"mtu_bytes\":9001}").contains("27 to 9000"));
    }
}
