//! Reading platform files.

use std::path::PathBuf;

use super::check::{check, Impossible};
use super::values::Platform;

const BUILT_IN: [(&str, &str); 2] =
    [("tigon2", include_str!("../../platforms/tigon2.toml")), ("lanai9", include_str!("../../platforms/lanai9.toml"))];

/// Why a platform cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PlatformError {
    /// No platform has this name.
    #[error(
        "no platform {name:?}: the platforms are {known}; or give the path of a platform file (with a / or .toml)"
    )]
    Unknown {
        /// The name.
        name: String,
        /// The names that there are, with commas.
        known: String,
    },
    /// The file cannot be read.
    #[error("platform file {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A key that is missing, unknown or of the wrong type, or a file that is not TOML. The text
    /// names line and key.
    #[error("platform {name}: {text}")]
    Form {
        /// Name or path of the platform.
        name: String,
        /// What is wrong, with line and key.
        text: String,
    },
    /// A value is outside of its range.
    #[error("platform {name}: {key} = {value} is impossible: {right}")]
    Value {
        /// Name or path of the platform.
        name: String,
        /// The key of the value, with its tables.
        key: &'static str,
        /// The value in the file.
        value: u64,
        /// What would be right, in words.
        right: &'static str,
    },
}

impl Platform {
    /// The names of the platforms that are built in.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// The platform of that name, or of the file at that path.
    pub fn load(name: &str) -> Result<Platform, PlatformError> {
        if let Some((name, text)) = BUILT_IN.iter().find(|(known, _)| *known == name) {
            return Platform::parse(name, text);
        }
        if !name.contains('/') && !name.ends_with(".toml") {
            let known = Platform::names().collect::<Vec<_>>().join(", ");
            return Err(PlatformError::Unknown { name: name.to_owned(), known });
        }
        let text =
            std::fs::read_to_string(name).map_err(|source| PlatformError::Unreadable { path: name.into(), source })?;
        Platform::parse(name, &text)
    }

    /// Reads the text of a platform file; `name` is for the messages.
    pub fn parse(name: &str, text: &str) -> Result<Platform, PlatformError> {
        let platform: Platform = toml::from_str(text)
            .map_err(|error| PlatformError::Form { name: name.to_owned(), text: toml_error(text, &error) })?;
        check(&platform).map_err(|Impossible { key, value, right }| PlatformError::Value {
            name: name.to_owned(),
            key,
            value,
            right,
        })?;
        Ok(platform)
    }
}

/// What is wrong with a TOML text, and where, in one line.
pub fn toml_error(text: &str, error: &toml::de::Error) -> String {
    let message = error.message().trim().replace('\n', ", ");
    let Some(before) = error.span().and_then(|span| text.get(..span.start)) else {
        return message;
    };
    let number = before.matches('\n').count();
    let line = text.lines().nth(number).unwrap_or("").split('#').next().unwrap_or("").trim();
    match line.is_empty() {
        true => format!("line {}: {message}", number + 1),
        false => format!("line {} ({line}): {message}", number + 1),
    }
}
