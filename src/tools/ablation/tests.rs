use super::*;

fn settings(text: &str) -> Result<Settings, AblationError> {
    Settings::read(text.split_whitespace().map(OsString::from).collect())
}

fn table(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    run(&settings(text).unwrap(), &mut out).unwrap();
    let text = String::from_utf8(out).unwrap();
    text.lines().map(String::from).collect()
}

#[test]
fn a_table_has_a_row_for_each_technique_and_repeats_itself() {
    let asked = "--only NullMove,Technique_QUIESCENCE --games 4 --nodes 50 --depth 2 \
                 --net handwritten --hash 1 --threads";
    let lines = table(&format!("{asked} 2"));
    assert_eq!(lines, table(&format!("{asked} 1")));
    assert_eq!(lines.len(), 6);
    for (line, name) in lines[4..].iter().zip(["NullMove", "Quiescence"]) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let [_, technique, nodes, elo, games, _] = cells[..] else {
            unreachable!("{line}");
        };
        assert_eq!(technique, name);
        assert!(nodes.starts_with('×') && elo.contains('±'), "{line}");
        let games = games.split(" - ").map(|n| n.parse::<u32>().unwrap());
        assert_eq!(games.sum::<u32>(), 4);
    }
}

#[test]
fn what_is_not_to_be_measured_is_left_out() {
    let lines = table("--only Razoring --games 0 --depth 0 --net handwritten");
    assert_eq!(lines[4], "| Razoring | - | - | 0 - 0 - 0 |");
}

#[test]
fn what_cannot_be_measured_is_told() {
    let error = |text: &str| settings(text).err().unwrap().to_string();
    assert!(error("--only NullMoves").contains("no technique called NullMoves"));
    assert!(error("--only NullMove --game 3").contains("unknown option --game"));
    let many = settings("--games 1001").unwrap().openings();
    assert!(matches!(
        many,
        Err(AblationError::FewOpenings { openings: 500, .. })
    ));
    assert_eq!(
        settings("").unwrap().techniques.len(),
        settings::names().len()
    );
}
