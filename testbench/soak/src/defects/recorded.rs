//! `records/defects.json`: for each planted defect that random lists show, one list that did.
//!
//! `make test` plays these lists first. `make defects` seeks each defect from its first list on,
//! and writes the file again. A defect of the firmware has the first list that shows it, and a
//! defect between product and model the first on few nodes.

use std::collections::BTreeMap;
use std::env;
use std::fmt::Display;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use nicscope_run::files;
use nicscope_scenario::error::{Error, Result};
use nicscope_scenario::{failed, image};

use crate::defect::Drawn;

/// By the name of the personality, then by the name of the defect.
pub type Recorded = BTreeMap<String, BTreeMap<String, Drawn>>;

/// The variable of the environment with which no recorded list is used, and the file is written.
const SEEK: &str = "NICSCOPE_SEEK_DEFECTS";

/// The lists in the file.
///
/// # Errors
/// The file cannot be read, or is not of this format.
pub fn read() -> Result<Recorded> {
    let text = fs::read_to_string(path()).map_err(|error| in_file(&error))?;
    serde_json::from_str(&text).map_err(|error| in_file(&error))
}

/// Whether defects are sought from their first list on, and the file is written: `make defects`.
pub fn are_sought() -> bool {
    env::var_os(SEEK).is_some()
}

/// The list that showed a defect of a personality last. `None`: no list is recorded, or `make
/// defects` seeks each defect again.
///
/// # Errors
/// As [`read`].
pub fn list_of(personality: &str, defect: &str) -> Result<Option<Drawn>> {
    if are_sought() {
        return Ok(None);
    }
    Ok(read()?.get(personality).and_then(|lists| lists.get(defect)).copied())
}

/// Writes the list that has shown a defect to the file, if defects are sought again.
///
/// # Errors
/// As [`read`], or the file cannot be written.
pub fn keep(personality: &str, defect: &str, drawn: Drawn) -> Result<()> {
    /// Tests of several personalities write beside each other.
    static TURN: Mutex<()> = Mutex::new(());
    if !are_sought() {
        return Ok(());
    }
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut recorded = read()?;
    recorded.entry(personality.to_owned()).or_default().insert(defect.to_owned(), drawn);
    let text = serde_json::to_string_pretty(&recorded).map_err(|error| in_file(&error))?;
    files::write(&path(), &(text + "\n"))
}

fn path() -> PathBuf {
    image::workspace().join("testbench/soak/records/defects.json")
}

fn in_file(error: &dyn Display) -> Error {
    failed!("{}: {error}", path().display())
}
