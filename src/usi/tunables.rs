//! The search parameters as USI options and in the formats of tuners (cargo feature `tune`).

use super::command::parse_number;
use super::error::{UsiError, truncate};
use crate::search::params::{self, Param};
use std::sync::atomic::Ordering;

/// The range of a parameter as a multiple of its `c_end`.
const RANGE_PER_C_END: f64 = 20.0;
/// SPSA's `r_end`: the final learning rate as a fraction of the squared `c_end`.
const R_END: f64 = 0.002;

/// The `option` lines of all parameters.
pub fn declarations() -> impl Iterator<Item = String> {
    params::all().into_iter().map(|param| {
        format!(
            "option name {} type spin default {} min {} max {}",
            param.name, param.default, param.min, param.max
        )
    })
}

/// Sets a parameter, clamped to its range; `None` when there is no parameter of that name.
pub fn set(name: &str, value: &str) -> Option<Result<(), UsiError>> {
    let mut params = params::all().into_iter();
    let param = params.find(|param| param.name.eq_ignore_ascii_case(name))?;
    let Some(number) = parse_number(value) else {
        return Some(Err(UsiError::OptionValue {
            name: param.name,
            value: truncate(value),
            expected: "a number".into(),
            current: param.value.load(Ordering::Relaxed).to_string(),
        }));
    };
    let value = number.clamp(param.min.into(), param.max.into());
    param.value.store(value as i32, Ordering::Relaxed);
    Some(Ok(()))
}

/// SPSA's `c_end`, the final step: large enough to matter in games, at least one.
fn c_end(param: &Param) -> f64 {
    (f64::from(param.max - param.min) / RANGE_PER_C_END).max(1.0)
}

/// All parameters as OpenBench reads them, one per line: name, type, default, min, max, `c_end`,
/// `r_end`. <https://github.com/AndyGrant/OpenBench/wiki/SPSA-Tuning-Workloads>
pub fn spsa_lines() -> String {
    let lines: Vec<String> = params::all()
        .iter()
        .map(|param| {
            let c_end = c_end(param);
            format!(
                "{}, int, {}, {}, {}, {c_end}, {R_END}",
                param.name, param.default, param.min, param.max
            )
        })
        .collect();
    lines.join("\n")
}

/// All parameters as ShogiArena reads them (`usi_tunables`), in JSON.
pub fn manifest() -> String {
    let params: Vec<String> = params::all()
        .iter()
        .map(|param| {
            let (name, c_end) = (param.name, c_end(param));
            format!(
                "{{\"id\":\"{name}\",\"option\":\"{name}\",\"value_type\":\"int\",\
                 \"encoding\":\"integer\",\"default\":{},\"min\":{},\"max\":{},\
                 \"schedule\":{{\"c_end\":{c_end},\"r_end\":{R_END}}}}}",
                param.default, param.min, param.max
            )
        })
        .collect();
    format!(
        "info string shogiarena_tunables_json \
         {{\"schema_version\":\"shogiarena.usi_tunables.v1\",\"tunables\":[{}]}}\n\
         usi_tunablesok",
        params.join(",")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_is_an_option() {
        let lines: Vec<String> = declarations().collect();
        assert_eq!(lines.len(), params::all().len());
        let mut names: Vec<&str> = lines
            .iter()
            .filter_map(|line| line.split(' ').nth(2))
            .collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), lines.len());
    }

    #[test]
    fn parameters_can_be_set_within_their_range() {
        let param = &params::all()[0];
        assert_eq!(set(param.name, "999999999"), Some(Ok(())));
        assert_eq!(param.value.load(Ordering::Relaxed), param.max);
        assert_eq!(set(param.name, &param.default.to_string()), Some(Ok(())));
        assert!(matches!(set(param.name, "x"), Some(Err(_))));
        assert_eq!(set("nothing", "1"), None);
    }

    #[test]
    fn tuners_get_a_line_for_every_parameter() {
        let text = spsa_lines();
        assert_eq!(text.lines().count(), params::all().len());
        for (line, param) in text.lines().zip(params::all()) {
            let fields: Vec<&str> = line.split(", ").collect();
            assert_eq!(fields[..2], [param.name, "int"]);
            let numbers: Vec<f64> = fields[2..].iter().map(|f| f.parse().unwrap()).collect();
            let [default, min, max, step, rate] = numbers.try_into().unwrap();
            assert!(min <= default && default <= max && min < max, "{line}");
            assert!(step >= 1.0 && step <= (max - min) / 2.0, "{line}");
            assert!(rate > 0.0, "{line}");
        }
    }

    #[test]
    fn the_manifest_is_one_line_of_json_and_its_end() {
        let text = manifest();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[1..], ["usi_tunablesok"]);
        let json = lines[0]
            .strip_prefix("info string shogiarena_tunables_json ")
            .unwrap();
        assert!(json.starts_with("{\"schema_version\":\"shogiarena.usi_tunables.v1\","));
        let count = |text: &str| json.matches(text).count();
        assert_eq!(count("{"), count("}"));
        assert_eq!(count("\"option\":"), params::all().len());
        assert_eq!(count("\"c_end\":"), params::all().len());
    }
}
