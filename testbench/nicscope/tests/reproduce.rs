//! `nicscope reproduce`: the form of its results, and what it does not measure twice.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Ends with status 0 and prints one JSON object; its experiments.
#[track_caller]
fn experiments(out: &Path, arguments: &[&str]) -> Vec<Value> {
    let out = out.to_str().expect("a name");
    let output = Command::new(env!("CARGO_BIN_EXE_nicscope"))
        .args(["reproduce", "--json", "--out", out])
        .args(arguments)
        .output()
        .expect("the command starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {error}");
    assert!(error.is_empty(), "{arguments:?} complained: {error}");
    let value: Value = serde_json::from_slice(&output.stdout).expect("one JSON value");
    value["experiments"].as_array().expect("a list").clone()
}

#[test]
fn a_table_has_a_cell_for_each_column_and_stays_in_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let [experiment] = &experiments(folder.path(), &["mini.table-1.1"])[..] else { panic!("one was asked for") };
    assert_eq!(experiment["id"], "mini.table-1.1");
    for text in ["title", "thesis", "build"] {
        assert!(!experiment[text].as_str().expect("words").is_empty(), "{text}");
    }
    assert_eq!(experiment["parameters"]["platform"], "lanai9");
    let report = &experiment["report"];
    for list in ["tables", "pictures", "findings"] {
        assert!(report[list].is_array(), "{list}");
    }
    let table = &report["tables"][0];
    let columns = table["columns"].as_array().expect("columns").len();
    let rows = table["rows"].as_array().expect("rows");
    assert!(rows.len() == 8 && rows.iter().all(|row| row.as_array().expect("cells").len() == columns));
    // The thesis's sums, and ours of the same order.
    let total = rows.last().expect("a total");
    assert_eq!((&total[1], &total[2]), (&798.0.into(), &419.0.into()));
    assert!((100.0..1000.0).contains(&total[3].as_f64().expect("a number")));
    // The base needs more than twice the memory of miNI. With the imports of one process it needs
    // about as much as in the thesis.
    assert!(total[4].as_f64().expect("a number") > 2.0 * total[3].as_f64().expect("a number"));
    let of_one = report["tables"][1]["rows"][0][4].as_f64().expect("a number");
    assert!((700.0..900.0).contains(&of_one), "{of_one}");

    let file = std::fs::read(folder.path().join("mini.table-1.1.json")).expect("the result is kept");
    let stored: Value = serde_json::from_slice(&file).expect("JSON");
    assert_eq!((&stored["report"], &stored["build"]), (report, &experiment["build"]));
}

#[test]
fn what_is_there_is_not_measured_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("mini.table-1.1.json");
    let run = |arguments: &[&str]| experiments(folder.path(), arguments).remove(0);
    let first = run(&["mini.table-1.1"]);
    assert_eq!(first["was_there"], false);

    // A mark tells who wrote the result.
    let change = |from: &str, to: &str| {
        let text = std::fs::read_to_string(&file).expect("the result is kept");
        assert!(text.contains(from), "{from}");
        std::fs::write(&file, text.replace(from, to)).expect("the folder is ours");
    };
    change("send and receive buffers", "marked");
    let second = run(&["mini.table-1.1"]);
    assert_eq!(second["was_there"], true);
    assert_eq!(second["seconds"], first["seconds"]);
    assert!(second.to_string().contains("marked"));

    let fresh = run(&["mini.table-1.1", "--fresh"]);
    assert_eq!(fresh["was_there"], false);
    assert_eq!(fresh["report"], first["report"]);

    // Of another build, of other parameters, and broken.
    for (from, to) in [
        (first["build"].as_str().expect("a name"), "0123456789abcdef"),
        ("\"platform\": \"lanai9\"", "\"platform\": \"tigon2\""),
        ("{", "["),
    ] {
        change("send and receive buffers", "marked");
        change(from, to);
        let again = run(&["mini.table-1.1"]);
        assert_eq!(again["was_there"], false, "{from} became {to}");
        assert_eq!(again["report"], first["report"]);
    }
}

#[test]
fn traces_give_findings_and_pictures_and_the_rtl_agrees_for_any_number_of_jobs() {
    let folder = tempfile::tempdir().expect("a folder");
    let [one, two] = ["1", "2"].map(|jobs| {
        let out = folder.path().join(jobs);
        experiments(&out, &["mini.fig-4.2", "--jobs", jobs]).remove(0)
    });
    assert_eq!(one["report"], two["report"]);
    let findings = one["report"]["findings"].as_array().expect("findings");
    for claim in ["MC-3", "MC-4", "MC-5", "MC-6"] {
        assert!(findings.iter().any(|finding| finding["claim"] == claim), "{claim}");
    }
    for finding in findings {
        assert!(finding["holds"].is_boolean());
        assert!(!finding["statement"].as_str().expect("words").is_empty());
        assert!(!finding["figures"].as_str().expect("words").is_empty());
    }
    let tables = one["report"]["tables"].as_array().expect("tables");
    assert_eq!(tables[0]["rows"].as_array().expect("rows").len(), 36);
    let on_rtl = tables.last().expect("there are some")["rows"].as_array().expect("rows");
    assert_eq!(on_rtl.len(), 12);
    assert!(on_rtl.iter().all(|row| row[2] == 1000.0 && row[5] == 0.0), "{on_rtl:?}");
    let pictures = one["pictures"].as_array().expect("paths");
    assert_eq!(pictures.len(), 5);
    for picture in pictures {
        let svg = std::fs::read_to_string(picture.as_str().expect("a path")).expect("it was drawn");
        assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    }
}
