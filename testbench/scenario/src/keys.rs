//! The keys of a scenario, generated from its types and their doc comments.

use schemars::schema_for;
use serde_json::{Map, Value};

use crate::scenario::Scenario;

/// A key of a scenario, for `nicscope keys` and docs/keys.md.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The path as files and `--set` name it, such as `workload.iterations`.
    pub name: String,
    /// The type of a value, or all values with their meanings, in words.
    pub values: String,
    /// The value if the file lacks the key; `None` if the file must have the key.
    pub default: Option<String>,
    /// The doc comment of the field: meaning, unit and range.
    pub meaning: String,
}

/// The default of a key whose schema does not tell it. The doc comment of the field does.
const UNSAID: &str = "optional";

/// All keys, by name.
pub fn all() -> Vec<Key> {
    let schema = schema_for!(Scenario).to_value();
    let mut keys = Vec::new();
    fields(&schema, &schema, "", &mut keys);
    // No file has this key: a scenario has the name of its file.
    keys.retain(|key| key.name != "name");
    keys
}

/// The text of docs/keys.md.
pub fn markdown() -> String {
    let mut text = String::from(HEAD);
    for key in all() {
        let default = match key.default.as_deref() {
            None => "required".to_owned(),
            Some(UNSAID) => "the key is optional".to_owned(),
            Some(default) => format!("`{default}`"),
        };
        text += &format!("### `{}`\n\n", key.name);
        text += &format!("- Values: {}.\n- Default: {default}.\n\n{}\n\n", key.values, key.meaning);
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

const HEAD: &str = "# Keys of a scenario

A scenario is a TOML file with these keys. `nicscope run NAME --set KEY=VALUE` changes one. The
built-in scenarios are in `testbench/scenario/scenarios`. This page is generated from the types:
`nicscope keys --markdown > docs/keys.md` writes it, and a test compares it.

";

fn text_of<'a>(object: &'a Value, name: &str) -> Option<&'a str> {
    object.get(name).and_then(Value::as_str)
}

/// The schema that a reference leads to, with the other members of the referring one.
fn resolve(root: &Value, schema: &Value) -> Value {
    let schema = optional(schema);
    let Some(path) = text_of(&schema, "$ref").and_then(|path| path.strip_prefix('#')) else { return schema };
    let mut target = root.pointer(path).cloned().unwrap_or_default();
    if let (Some(target), Some(own)) = (target.as_object_mut(), schema.as_object()) {
        let own: Map<String, Value> = own.clone().into_iter().filter(|(name, _)| name != "$ref").collect();
        target.extend(own);
    }
    target
}

/// The schema of an optional value without its alternative `null`.
fn optional(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let Some(object) = schema.as_object_mut() else { return schema };
    let alternatives = object.get("anyOf").and_then(Value::as_array).cloned().unwrap_or_default();
    let there: Vec<Value> = alternatives.into_iter().filter(|one| text_of(one, "type") != Some("null")).collect();
    if let [Value::Object(one)] = &there[..] {
        object.remove("anyOf");
        let described = object.clone();
        object.extend(one.clone());
        object.extend(described);
    }
    if let Some(Value::Array(types)) = object.get("type").cloned() {
        if let Some(one) = types.into_iter().find(|one| one != "null") {
            object.insert("type".to_owned(), one);
        }
    }
    schema
}

fn fields(root: &Value, table: &Value, prefix: &str, keys: &mut Vec<Key>) {
    let required: Vec<&str> =
        table.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    for (name, schema) in table.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let schema = resolve(root, schema);
        let path = format!("{prefix}{name}");
        if schema.get("properties").is_some() {
            fields(root, &schema, &format!("{path}."), keys);
            continue;
        }
        let default = match schema.get("default") {
            Some(Value::Null) => Some(UNSAID.to_owned()),
            Some(default) => Some(default.to_string()),
            None if required.contains(&name.as_str()) => None,
            None => Some(UNSAID.to_owned()),
        };
        let meaning = text_of(&schema, "description").unwrap_or_default().replace("\n", " ");
        keys.push(Key { name: path, values: values(root, &schema), default, meaning });
    }
}

/// The values that a schema allows, in words.
fn values(root: &Value, schema: &Value) -> String {
    if let Some(Value::Array(names)) = schema.get("enum") {
        return one_of(names.iter().filter_map(Value::as_str).map(|name| format!("`{name}`")));
    }
    if let Some(Value::Array(variants)) = schema.get("oneOf") {
        return one_of(variants.iter().flat_map(|variant| {
            let meaning = text_of(variant, "description")
                .map(|text| format!(" ({})", text.trim_end_matches('.').replace('\n', " ")));
            let meaning = meaning.unwrap_or_default();
            let names = match (text_of(variant, "const"), variant.get("enum").and_then(Value::as_array)) {
                (Some(name), _) => vec![name.to_owned()],
                (None, Some(names)) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
                (None, None) => Vec::new(),
            };
            names.into_iter().map(move |name| format!("`{name}`{meaning}"))
        }));
    }
    match text_of(schema, "type") {
        Some("string") => "text".into(),
        Some("integer") => "a whole number".into(),
        Some("number") => "a number".into(),
        Some("boolean") => "`true` or `false`".into(),
        Some("array") => {
            let item = schema.get("items").map(|item| values(root, &resolve(root, item))).unwrap_or_default();
            format!("a list, each: {item}")
        }
        _ => "a table".into(),
    }
}

fn one_of(names: impl Iterator<Item = String>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_keys_is_what_the_types_say() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/keys.md");
        let page = std::fs::read_to_string(path).unwrap_or_default();
        assert!(page == markdown(), "docs/keys.md is older: nicscope keys --markdown > docs/keys.md");
    }

    #[test]
    fn keys_of_tables_have_the_path_that_set_takes() {
        let keys = all();
        let key = |name: &str| keys.iter().find(|key| key.name == name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(key("workload.iterations").default, None);
        assert_eq!(key("workload.outstanding").default.as_deref(), Some("1"));
        assert!(key("misses.service").values.contains("`kernel-thread`"));
        assert!(key("platforms").values.starts_with("a list"));
        assert!(key("nic.post_queues").values.contains("whole number"));
        assert!(keys.iter().all(|key| !key.meaning.is_empty()), "{keys:?}");
    }
}
