//! What the nodes of a scenario do.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorkloadKind {
    PingPong,
    Stream,
    Random,
    Bystander,
    Fetch,
    Notify,
    Pages,
}

impl WorkloadKind {
    /// The name in a scenario.
    pub fn name(self) -> String {
        toml::Value::try_from(self).ok().and_then(|name| name.as_str().map(str::to_owned)).unwrap_or_default()
    }
}
