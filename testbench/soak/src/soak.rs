//! Soaks and replays, each in the language of its personality.

use std::path::Path;

use nicscope_scenario::error::Result;

use crate::campaign::{Campaign, Progress};
use crate::case;
use crate::personality;

/// Plays cases until the operations are as many as requested, or a case fails. Returns the
/// progress, and the report of the failing case after it was shortened.
///
/// # Errors
/// The request has no operations or no jobs, the firmware does not build, or the folder cannot be
/// written.
pub fn run(campaign: &Campaign) -> Result<(Progress, Option<String>)> {
    personality::of(campaign.personality).language.soak(campaign)
}

/// Plays the case in a file, and returns its counts.
///
/// # Errors
/// The file holds no case, or the case fails. The waves of a failing case are then in the folder,
/// and the text names them.
pub fn replay(file: &Path, folder: &Path) -> Result<Progress> {
    let personality = case::text::personality_of(&case::text::text_of(file)?)?;
    personality::of(personality).language.replay(file, folder)
}
