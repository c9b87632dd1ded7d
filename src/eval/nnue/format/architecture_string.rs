//! The architecture string of a header. Trainers write it carelessly, so [`super::detect`] trusts the size
//! of the file more.
#![forbid(unsafe_code)]

use super::error::NetError;
use crate::eval::nnue::architecture::{Activation, DOUBLED, MAX_HIDDEN, Shards};
use crate::eval::nnue::features::{ATTACK_FEATURE_SETS, FEATURE_SETS, FeatureSet};
use crate::eval::nnue::stack_buckets::StackBuckets;

/// The architecture string of a header, e.g. `Features=HalfKP(Friend)[125388->256x2],Network=...`.
pub struct ArchitectureString(pub String);

/// The name of a network with layer stacks, such as `SFNN_HALFKA2_1024_7_64_C256_S96X8_HAND64_K3K3`:
/// features, width, hidden layers, shards and stack buckets. The last two are optional.
pub struct StackedName {
    pub hidden: [usize; 2],
    pub shards: Option<Shards>,
    pub buckets: StackBuckets,
}

impl ArchitectureString {
    /// The string, made printable and short for error messages.
    pub fn shortened(&self) -> String {
        shortened(&self.0)
    }

    /// The number that follows a key such as `qa=`.
    fn number(&self, key: &str) -> Option<u32> {
        let (_, rest) = self.0.split_once(key)?;
        let end = rest.find(|c: char| !c.is_ascii_digit());
        rest[..end.unwrap_or(rest.len())].parse().ok()
    }

    /// `FV_SCALE`, as in `...,fv_scale=28,...`.
    pub fn fv_scale(&self) -> Option<i32> {
        let scale = self.number("fv_scale=")?.cast_signed();
        (1..=128).contains(&scale).then_some(scale)
    }

    /// Whether the network has a PSQT.
    pub fn has_psqt(&self) -> bool {
        self.0.contains("PSQT=")
    }

    /// The feature sets to choose from by size: `EffectBucket=` names one, otherwise all of YaneuraOu's.
    pub fn feature_sets(&self) -> Result<&'static [FeatureSet], NetError> {
        let Some((_, name)) = self.0.split_once("EffectBucket=") else {
            return Ok(&FEATURE_SETS);
        };
        let end = name.find(|c: char| !c.is_ascii_alphanumeric());
        let name = format!("+{}", &name[..end.unwrap_or(name.len())]);
        match ATTACK_FEATURE_SETS
            .iter()
            .position(|set| set.name.ends_with(&name))
        {
            Some(at) => Ok(&ATTACK_FEATURE_SETS[at..=at]),
            None => Err(NetError::Unsupported(format!(
                "EffectBucket={}",
                shortened(&name[1..])
            ))),
        }
    }

    /// Whether YaneuraOu wrote it for a network with layer stacks.
    pub fn is_stacked(&self) -> bool {
        self.0.starts_with("ModelType=SFNN")
    }

    /// Rejects networks that Komaoto cannot evaluate.
    pub fn check_supported(&self) -> Result<(), NetError> {
        let unsupported = [
            ("Threat=", "threat features (Threat)"),
            ("HandCount", "hand count features (HandCount)"),
            ("Factorizer", "factorised features of a training file"),
            ("-SCReLU-Pairwise", "SCReLU combined with Pairwise"),
        ];
        for (token, what) in unsupported {
            if self.0.contains(token) {
                return Err(NetError::Unsupported(what.into()));
            }
        }
        Ok(())
    }

    /// The activation of a classic network's feature transformer, by `-SCReLU`, `-Pairwise` and `qa=`, the
    /// quantised activation of 1.
    pub fn activation(&self) -> Result<Activation, NetError> {
        let is_screlu = self.0.contains("-SCReLU")
            || self.0.contains("(SqrClippedReLU[") && !self.0.contains("(ClippedReLU[");
        let is_pairwise = self.0.contains("-Pairwise");
        let default = if is_screlu { 255 } else { 127 };
        let qa = self.number("qa=").unwrap_or(default);
        let unsupported = || NetError::Unsupported(format!("activations up to {qa}"));
        let limit = match qa {
            127 => DOUBLED,
            255 => 255,
            _ => return Err(unsupported()),
        };
        match (is_screlu, is_pairwise) {
            (true, _) => Ok(Activation::SCReLU { limit }),
            (_, true) => Ok(Activation::Pairwise { limit }),
            _ if qa == 127 => Ok(Activation::CReLU),
            _ => Err(unsupported()),
        }
    }

    /// The name of a network with layer stacks, if the string has one.
    pub fn stacked_name(&self) -> Result<Option<StackedName>, NetError> {
        let Some((_, name)) = self.0.split_once("Network=SFNN") else {
            return Ok(None);
        };
        let end = name.find(['{', ',', ';']).unwrap_or(name.len());
        let name = name[..end].replace('-', "_").to_ascii_lowercase();
        if name.trim_start_matches('_') == "1536" {
            return Ok(Some(StackedName {
                hidden: [15, 32],
                shards: None,
                buckets: StackBuckets::king_ranks(),
            }));
        }
        let mut parts = name.split('_').filter(|part| !part.is_empty()).skip(2);
        let mut size = || {
            let size = parts.next()?.parse().ok()?;
            (1..=MAX_HIDDEN).contains(&size).then_some(size)
        };
        let (Some(first), Some(second)) = (size(), size()) else {
            return Ok(None);
        };
        let mut rest: Vec<&str> = parts.collect();
        let shards = match rest[..] {
            [common, shard, ..] => parse_shards(common, shard),
            _ => None,
        };
        if shards.is_some() {
            rest.drain(..2);
        }
        let buckets = StackBuckets::parse(&rest.join("_"));
        Ok(Some(StackedName {
            hidden: [first, second],
            shards,
            buckets: buckets.map_err(|part| {
                NetError::Invalid(format!("unknown stack buckets `{}`", shortened(&part)))
            })?,
        }))
    }
}

/// The first 80 characters, control characters replaced.
fn shortened(text: &str) -> String {
    let shown = |c: char| if c.is_control() { '?' } else { c };
    text.chars().take(80).map(shown).collect()
}

/// Parses shards such as `c256`, `s96x8`.
fn parse_shards(common: &str, shard: &str) -> Option<Shards> {
    let (shard, groups) = shard.strip_prefix('s')?.split_once('x')?;
    Some(Shards {
        common: common.strip_prefix('c')?.parse().ok()?,
        shard: shard.parse().ok()?,
        groups: groups.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_found() {
        let scale = |text: &str| ArchitectureString(text.into()).fv_scale();
        assert_eq!(
            scale("Features=K+P[1710->256x2],fv_scale=28,qa=127"),
            Some(28)
        );
        assert_eq!(scale("Features=K+P[1710->256x2]"), None);
        assert_eq!(scale("fv_scale=0"), None);
        assert_eq!(scale("fv_scale="), None);
        assert_eq!(scale("fv_scale=129"), None);
        assert_eq!(scale("fv_scale=99999999999"), None);
    }

    #[test]
    fn activations_are_found() {
        let activation = |text: &str| ArchitectureString(text.into()).activation().ok();
        assert_eq!(activation("[1710->256x2]"), Some(Activation::CReLU));
        let square = |limit| Some(Activation::SCReLU { limit });
        assert_eq!(activation("[1710->256x2]-SCReLU"), square(255));
        assert_eq!(activation("[1710->256x2]-SCReLU,qa=127"), square(254));
        let product = |limit| Some(Activation::Pairwise { limit });
        assert_eq!(activation("[1710->256x2]-Pairwise"), product(254));
        assert_eq!(activation("[1710->256x2]-Pairwise,qa=255"), product(255));
        assert_eq!(activation("[1710->256x2],qa=255"), None);
        assert_eq!(activation("[1710->256x2]-SCReLU,qa=181"), None);
    }

    #[test]
    fn names_of_networks_with_layer_stacks_are_read() {
        let name = |text: &str| ArchitectureString(text.into()).stacked_name();
        let read = |text: &str| {
            let name = name(text).unwrap().unwrap();
            (name.hidden, name.buckets.to_string(), name.shards)
        };
        let prefix = "ModelType=SFNNWithoutPsqt;Features=HalfKA2(Friend)[131949->1024x2],Network=";
        for text in ["SFNN-1536{LayerStack=9}", "SFNN1536"] {
            let text = format!("{prefix}{text}");
            assert_eq!(read(&text), ([15, 32], "k3k3".into(), None));
        }
        let text =
            format!("{prefix}SFNN_HALFKA2_1024_7_64_HAND64_K3K3_PROGRESS8{{LayerStack=4608}}");
        assert_eq!(read(&text), ([7, 64], "hand64_k3k3_progress8".into(), None));
        let text = format!("{prefix}SFNN_ka2_3072-7-64_c1024_s256x8_k3k3");
        let shards = Some(Shards {
            common: 1024,
            shard: 256,
            groups: 8,
        });
        assert_eq!(read(&text), ([7, 64], "k3k3".into(), shards));
        let text = format!("{prefix}SFNN_HALFKA2_1024_7_64{{LayerStack=1}}");
        assert_eq!(read(&text), ([7, 64], "none".into(), None));
        assert!(name("Features=K+P").unwrap().is_none());
        assert!(name("Network=SFNN_HALFKA2").unwrap().is_none());
        for sizes in ["0_64", "7_0", "257_64", "99999999999999999999_64", "7"] {
            let text = format!("{prefix}SFNN_HALFKA2_1024_{sizes}");
            assert!(name(&text).unwrap().is_none(), "{sizes}");
        }
        let text = format!("{prefix}SFNN_HALFKA2_1024_7_64_LS9");
        assert!(matches!(name(&text), Err(NetError::Invalid(what)) if what.contains("`ls9`")));
    }
}
