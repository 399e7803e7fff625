//! ISO images, read by xorriso.

use std::process::Command;

use kubexm_builder::iso;

fn xorriso(arguments: &[&str]) -> String {
    let output = Command::new("xorriso").args(arguments).output().expect("Debian's package xorriso is installed");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn an_image_holds_the_folder_and_depends_on_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("in");
    let mut names =
        ["Packages/lib++_1%3a2.0~rc1^git-1.deb", "repodata/repomd.xml", "InRelease"].map(str::to_owned).to_vec();
    names.extend((1..=116).map(|length| format!("long/{}.rpm", "n".repeat(length))));
    for (number, name) in names.iter().enumerate() {
        let path = input.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, kubexm_tests::noise(1 + number * 1000, 3)).expect("a file");
    }
    std::fs::create_dir(input.join("empty")).expect("a folder");
    let (one, two) = (folder.path().join("one.iso"), folder.path().join("two.iso"));
    iso::write(&input, "KUBEXM", &one).expect("an image");
    // The clock of the writer counts seconds: wait until it shows another one.
    let second = || std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("a time").as_secs();
    let before = second();
    while second() == before {
        std::hint::spin_loop();
    }
    iso::write(&input, "KUBEXM", &two).expect("an image");
    assert!(std::fs::read(&one).expect("an image") == std::fs::read(&two).expect("an image"), "the images differ");
    let image = one.to_str().expect("a plain path");
    let listed = xorriso(&["-indev", image, "-find", "/", "-type", "f"]);
    let mut listed: Vec<&str> = listed.lines().map(|line| line.trim_matches('\'').trim_start_matches('/')).collect();
    listed.sort_unstable();
    names.sort_unstable();
    assert_eq!(listed, names);
    let out = folder.path().join("out");
    xorriso(&["-osirrox", "on", "-indev", image, "-extract", "/", out.to_str().expect("a plain path")]);
    let same = Command::new("diff").arg("-r").arg(&input).arg(&out).status().expect("diff");
    assert!(same.success(), "the contents differ");
}

#[test]
fn what_cannot_be_in_an_image_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let input = folder.path().join("in");
    std::fs::create_dir(&input).expect("a folder");
    let refused = || iso::write(&input, "X", &folder.path().join("x.iso")).expect_err("it must be refused").to_string();
    let long = input.join("n".repeat(121));
    std::fs::write(&long, "").expect("a file");
    assert!(refused().contains("has more than 120 bytes"), "{}", refused());
    std::fs::remove_file(long).expect("a file");
    std::os::unix::fs::symlink("/etc/passwd", input.join("link")).expect("a link");
    assert!(refused().contains("link is neither a file nor a folder"), "{}", refused());
}
