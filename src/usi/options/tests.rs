//! The table is consistent, and values are taken, clamped or refused by name.

use super::*;

#[test]
fn names_are_one_word_and_lines_are_ascii() {
    for line in declarations() {
        assert!(line.is_ascii(), "{line}");
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words[3], "type", "{line}");
        assert!(!words.contains(&""), "{line}");
    }
}

#[test]
fn defaults_lie_in_their_ranges_and_can_be_sent_back() {
    for option in &OPTIONS {
        let mut settings = Settings::default();
        let default = option.value(&settings);
        assert_eq!(
            option.set(&mut settings, &default),
            Ok(()),
            "{}",
            option.name
        );
        settings.clear_hash = false;
        assert_eq!(settings, Settings::default(), "{}", option.name);
    }
}

#[test]
fn every_spin_keeps_both_ends_of_its_range() {
    for option in &OPTIONS {
        let Kind::Spin { range, .. } = &option.kind else {
            continue;
        };
        for end in [range.start(), range.end()] {
            let mut settings = Settings::default();
            assert_eq!(option.set(&mut settings, &end.to_string()), Ok(()));
            assert_eq!(option.value(&settings), end.to_string(), "{}", option.name);
        }
    }
}

#[test]
fn names_are_found_in_any_case_and_by_their_other_names() {
    let mut settings = Settings::default();
    assert_eq!(settings.set("multipv", Some(b"3")), Ok(()));
    assert_eq!(settings.search.multi_pv, 3);
    assert_eq!(settings.set("USI_MULTIPV", Some(b"4")), Ok(()));
    assert_eq!(settings.search.multi_pv, 4);
    assert_eq!(settings.set("Hash", Some(b"32")), Ok(()));
    assert_eq!(settings.hash, 32);
    assert_eq!(settings.set("enteringkingrule", Some(b"csarule24")), Ok(()));
    assert_eq!(
        settings.search.entering_king_rule,
        EnteringKingRule::CSARule24
    );
}

#[test]
fn bad_values_are_refused_or_clamped_by_name() {
    let mut settings = Settings::default();
    let refused = settings.set("USI_Ponder", Some(b"")).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "setoption USI_Ponder: `` is not true or false; it stays false"
    );
    assert!(settings.set("Threads", Some(b"many")).is_err());
    assert!(settings.set("EnteringKingRule", Some(b"x")).is_err());
    assert!(settings.set("NoSuchThing", None).is_err());
    assert_eq!(settings, Settings::default());
    let clamped = settings.set("threads", Some("9".repeat(31).as_bytes()));
    assert!(matches!(
        clamped,
        Err(UsiError::OptionRange { taken: 1024, .. })
    ));
    assert_eq!(settings.threads, 1024);
}

#[test]
fn book_names_are_taken_silently_and_paths_are_kept_as_they_are() {
    let mut settings = Settings::default();
    assert_eq!(settings.set("USI_OwnBook", Some(b"true")), Ok(()));
    assert_eq!(settings.set("BookFile", Some(b"no_book")), Ok(()));
    assert_eq!(settings, Settings::default());
    assert_eq!(
        settings.set("EvalFile", Some(b"C:\\\x91\xBE\\nn.bin")),
        Ok(())
    );
    assert_eq!(settings.eval_file, b"C:\\\x91\xBE\\nn.bin");
    assert_eq!(settings.set("evaldir", Some(b"a b")), Ok(()));
    assert_eq!(settings.eval_dir, b"a b");
    for nothing in [Some(&b"<empty>"[..]), Some(b""), None] {
        assert_eq!(settings.set("EvalFile", nothing), Ok(()));
        assert_eq!(settings.set("EvalDir", nothing), Ok(()));
        assert_eq!(settings, Settings::default());
    }
}

#[test]
fn values_in_force_can_be_asked_for() {
    let settings = Settings::default();
    assert_eq!(
        settings.describe(Some("usi_hash")),
        Ok(vec!["Options[USI_Hash] == 256".to_string()])
    );
    assert_eq!(settings.describe(None).map(|lines| lines.len()), Ok(22));
    assert!(settings.describe(Some("x")).is_err());
}
