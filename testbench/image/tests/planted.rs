//! Each check fires on an image that the compiler of the firmware builds: small programs with one
//! defect each (`planted/`), linked by the script of core A.

use std::path::Path;
use std::process::Command;

use nic_image::{judge, ImageError, Stack};

const TARGET: &str = "riscv32imc-unknown-none-elf";

/// The room in bytes that the linker script of core A leaves for the stack of a program without
/// static data.
const ROOM_BYTES: u32 = 16 * 1024;

/// Compiles `planted/start.rs` with one program behind it, and judges the image.
fn verdict(program: &str, static_bytes: u32) -> Result<Stack, ImageError> {
    let crate_root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scripts = crate_root.join("../../firmware/nic");
    let part = |name: &str| {
        let path = crate_root.join("tests/planted").join(name).with_extension("rs");
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let reserved = format!(
        "core::arch::global_asm!(\".section .bss.reserved, \\\"aw\\\", @nobits\", \".global reserved\", \
         \"reserved: .space {static_bytes}\");\n\
         extern \"C\" {{ static reserved: u8; }}\n\
         #[used] static KEPT: &u8 = unsafe {{ &reserved }};\n"
    );
    let folder = tempfile::tempdir().expect("a folder for the image");
    let (source, image) = (folder.path().join("planted.rs"), folder.path().join("planted"));
    std::fs::write(&source, [part("start"), reserved, part(program)].concat()).expect("the folder is writable");
    let output = Command::new("rustc")
        .args(["--edition=2021", "--crate-type=bin", "--target", TARGET])
        .args(["-Copt-level=3", "-Cpanic=abort", "-Clto=fat", "-Ccodegen-units=1", "-Clink-arg=-Tcore-a.ld"])
        .arg(format!("-Clink-arg=-L{}", scripts.display()))
        .arg(format!("-Clink-arg=-L{}", scripts.join("place/usual").display()))
        .arg("-o")
        .args([&image, &source])
        .output()
        .expect("rustc runs");
    assert!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr));
    judge(&std::fs::read(&image).expect("the image is there"))
}

#[test]
fn a_program_without_a_defect_passes() {
    let stack = verdict("harmless", 0).unwrap();
    assert_eq!((stack.deepest_bytes, stack.room_bytes), (0, ROOM_BYTES));
}

#[test]
fn an_index_that_may_be_out_of_bounds_is_found_as_a_panic() {
    let Err(ImageError::Panic(path)) = verdict("index_out_of_bounds", 0) else { panic!("it passes") };
    assert_eq!(path[..3], ["_start", "main", "core::panicking::panic_bounds_check"]);
}

#[test]
fn an_unwrap_that_may_fail_is_found_as_a_panic() {
    let Err(ImageError::Panic(path)) = verdict("unwrap_of_nothing", 0) else { panic!("it passes") };
    assert!(path.last().is_some_and(|name| name.starts_with("core::panicking::")), "{path:?}");
}

#[test]
fn two_frames_that_together_pass_the_room_are_found_and_pass_where_there_is_more() {
    // The frames hold 1600 and 400 bytes.
    let stack = verdict("frame_beyond_the_room", 0).unwrap();
    assert!((2000..2200).contains(&stack.deepest_bytes), "{stack:?}");
    let less = verdict("frame_beyond_the_room", ROOM_BYTES - 1984);
    let Err(ImageError::StackTooDeep { deepest_bytes, path, .. }) = less else { panic!("it passes: {less:?}") };
    assert_eq!(deepest_bytes, stack.deepest_bytes);
    assert!(path.starts_with("_start 0 > main 16"), "{path}");
}

#[test]
fn recursion_is_found() {
    let Err(ImageError::Recursion(cycle)) = verdict("recursion", 0) else { panic!("it passes") };
    assert!(cycle.len() == 2 && cycle.iter().all(|name| name.ends_with("descend")), "{cycle:?}");
}

#[test]
fn a_call_through_a_pointer_is_found() {
    let error = verdict("call_through_a_pointer", 0).unwrap_err();
    assert!(matches!(error, ImageError::IndirectJump { .. }), "{error}");
}
