//! Whether this CPU can run this build.
//!
//! A build for the host CPU would crash on an older CPU with an illegal instruction. So the program checks
//! the CPU before anything else and prints which instruction sets are missing. `is_x86_feature_detected!`
//! cannot do that: it is always true for the instruction sets enabled at compile time.
//!
//! The check itself must not use these instruction sets. The standard library is compiled for a baseline CPU,
//! so its functions that are not generic are safe to call; the code here is integers only, in functions too
//! small to be vectorised. Test: `qemu-x86_64 -cpu core2duo target/release/komaoto`.

use std::io::{Write, stdout};

/// Exits with code 1 if the CPU lacks instruction sets that this build needs; prints which, and how to
/// build without them. Call it before anything else.
#[inline(never)]
pub fn require() {
    if first_missing(0).is_some() {
        report_missing();
        std::process::exit(1);
    }
}

#[inline(never)]
fn report_missing() {
    print("info string unsupported CPU: missing");
    let mut index = 0;
    while let Some((found, name)) = first_missing(index) {
        print(" ");
        print(name);
        index = found + 1;
    }
    print("; build with RUSTFLAGS=\"-C target-cpu=x86-64-v2\" cargo build --release\n");
}

#[inline(never)]
fn print(text: &str) {
    // A closed pipe does not matter here.
    let _ = stdout().write_all(text.as_bytes());
}

/// Index and name of the first missing instruction set of the table from index `_from` on.
#[cfg(not(target_arch = "x86_64"))]
fn first_missing(_from: usize) -> Option<(usize, &'static str)> {
    None
}

#[cfg(target_arch = "x86_64")]
use x86_64::first_missing;

#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use std::arch::asm;
    use std::arch::x86_64::__cpuid_count;
    use std::hint::black_box;

    /// A word of `cpuid`: leaf, subleaf and register.
    #[derive(Clone, Copy)]
    enum CpuidWord {
        Leaf1Ecx,
        Leaf7Ebx,
        Leaf7Ecx,
        Leaf7Edx,
        Leaf7Sub1Eax,
        ExtendedEcx,
    }

    /// Registers that the operating system has to save (bits of `XCR0`): none, those of AVX, and those of
    /// AVX-512.
    const NO_STATE: u32 = 0;
    const AVX_STATE: u32 = 0b0000_0110;
    const AVX512_STATE: u32 = 0b1110_0110;

    struct Feature {
        name: &'static str,
        /// Whether this build may use it.
        needed: bool,
        word: CpuidWord,
        bit: u32,
        state: u32,
    }

    const fn feature(
        name: &'static str,
        needed: bool,
        word: CpuidWord,
        bit: u32,
        state: u32,
    ) -> Feature {
        Feature {
            name,
            needed,
            word,
            bit: 1 << bit,
            state,
        }
    }

    use CpuidWord::*;

    /// Features that a target CPU can enable in a build.
    #[rustfmt::skip]
    static FEATURES: [Feature; 32] = [
        feature("sse3", cfg!(target_feature = "sse3"), Leaf1Ecx, 0, NO_STATE),
        feature("pclmulqdq", cfg!(target_feature = "pclmulqdq"), Leaf1Ecx, 1, NO_STATE),
        feature("ssse3", cfg!(target_feature = "ssse3"), Leaf1Ecx, 9, NO_STATE),
        feature("fma", cfg!(target_feature = "fma"), Leaf1Ecx, 12, AVX_STATE),
        feature("cmpxchg16b", cfg!(target_feature = "cmpxchg16b"), Leaf1Ecx, 13, NO_STATE),
        feature("sse4.1", cfg!(target_feature = "sse4.1"), Leaf1Ecx, 19, NO_STATE),
        feature("sse4.2", cfg!(target_feature = "sse4.2"), Leaf1Ecx, 20, NO_STATE),
        feature("movbe", cfg!(target_feature = "movbe"), Leaf1Ecx, 22, NO_STATE),
        feature("popcnt", cfg!(target_feature = "popcnt"), Leaf1Ecx, 23, NO_STATE),
        feature("avx", cfg!(target_feature = "avx"), Leaf1Ecx, 28, AVX_STATE),
        feature("f16c", cfg!(target_feature = "f16c"), Leaf1Ecx, 29, AVX_STATE),
        feature("bmi1", cfg!(target_feature = "bmi1"), Leaf7Ebx, 3, NO_STATE),
        feature("avx2", cfg!(target_feature = "avx2"), Leaf7Ebx, 5, AVX_STATE),
        feature("bmi2", cfg!(target_feature = "bmi2"), Leaf7Ebx, 8, NO_STATE),
        feature("avx512f", cfg!(target_feature = "avx512f"), Leaf7Ebx, 16, AVX512_STATE),
        feature("avx512dq", cfg!(target_feature = "avx512dq"), Leaf7Ebx, 17, AVX512_STATE),
        feature("adx", cfg!(target_feature = "adx"), Leaf7Ebx, 19, NO_STATE),
        feature("avx512ifma", cfg!(target_feature = "avx512ifma"), Leaf7Ebx, 21, AVX512_STATE),
        feature("avx512cd", cfg!(target_feature = "avx512cd"), Leaf7Ebx, 28, AVX512_STATE),
        feature("avx512bw", cfg!(target_feature = "avx512bw"), Leaf7Ebx, 30, AVX512_STATE),
        feature("avx512vl", cfg!(target_feature = "avx512vl"), Leaf7Ebx, 31, AVX512_STATE),
        feature("avx512vbmi", cfg!(target_feature = "avx512vbmi"), Leaf7Ecx, 1, AVX512_STATE),
        feature("avx512vbmi2", cfg!(target_feature = "avx512vbmi2"), Leaf7Ecx, 6, AVX512_STATE),
        feature("gfni", cfg!(target_feature = "gfni"), Leaf7Ecx, 8, NO_STATE),
        feature("avx512vnni", cfg!(target_feature = "avx512vnni"), Leaf7Ecx, 11, AVX512_STATE),
        feature("avx512bitalg", cfg!(target_feature = "avx512bitalg"), Leaf7Ecx, 12, AVX512_STATE),
        feature("avx512vpopcntdq", cfg!(target_feature = "avx512vpopcntdq"), Leaf7Ecx, 14, AVX512_STATE),
        feature("avx512fp16", cfg!(target_feature = "avx512fp16"), Leaf7Edx, 23, AVX512_STATE),
        feature("avxvnni", cfg!(target_feature = "avxvnni"), Leaf7Sub1Eax, 4, AVX_STATE),
        feature("avx512bf16", cfg!(target_feature = "avx512bf16"), Leaf7Sub1Eax, 5, AVX512_STATE),
        feature("lzcnt", cfg!(target_feature = "lzcnt"), ExtendedEcx, 5, NO_STATE),
        feature("sse4a", cfg!(target_feature = "sse4a"), ExtendedEcx, 6, NO_STATE),
    ];

    pub(super) fn first_missing(from: usize) -> Option<(usize, &'static str)> {
        for (index, feature) in FEATURES.iter().enumerate().skip(from) {
            if feature.needed && !is_present(feature) {
                return Some((index, feature.name));
            }
        }
        None
    }

    #[inline(never)]
    fn is_present(feature: &Feature) -> bool {
        // `black_box` keeps the compiler from comparing with an instruction of BMI1.
        let saved = black_box(enabled_state() & feature.state);
        cpuid(feature.word) & feature.bit != 0 && saved == feature.state
    }

    /// A word of `cpuid`; zero when the CPU does not have its leaf.
    #[inline(never)]
    fn cpuid(word: CpuidWord) -> u32 {
        let (leaf, subleaf) = match word {
            Leaf1Ecx => (1, 0),
            Leaf7Ebx | Leaf7Ecx | Leaf7Edx => (7, 0),
            Leaf7Sub1Eax => (7, 1),
            ExtendedEcx => (0x8000_0001, 0),
        };
        let highest = __cpuid_count(leaf & 0x8000_0000, 0).eax;
        if highest < leaf {
            return 0;
        }
        let registers = __cpuid_count(leaf, subleaf);
        match word {
            Leaf7Sub1Eax => registers.eax,
            Leaf7Ebx => registers.ebx,
            Leaf7Edx => registers.edx,
            Leaf1Ecx | Leaf7Ecx | ExtendedEcx => registers.ecx,
        }
    }

    /// Which registers the operating system saves (`XCR0`).
    #[inline(never)]
    fn enabled_state() -> u32 {
        const OSXSAVE: u32 = 1 << 27;
        if cpuid(Leaf1Ecx) & OSXSAVE == 0 {
            return 0;
        }
        let state: u32;
        // SAFETY: OSXSAVE says that the instruction exists and may be used outside the kernel. It
        // reads a register and touches nothing else.
        unsafe {
            asm!("xgetbv", in("ecx") 0, out("eax") state, out("edx") _,
                options(nomem, nostack, preserves_flags));
        }
        state
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn answers_agree_with_the_standard_library() {
            let present = |name: &str| FEATURES.iter().any(|f| f.name == name && is_present(f));
            assert_eq!(present("sse4.2"), is_x86_feature_detected!("sse4.2"));
            assert_eq!(present("popcnt"), is_x86_feature_detected!("popcnt"));
            assert_eq!(present("avx"), is_x86_feature_detected!("avx"));
            assert_eq!(present("avx2"), is_x86_feature_detected!("avx2"));
            assert_eq!(present("bmi2"), is_x86_feature_detected!("bmi2"));
            assert_eq!(present("lzcnt"), is_x86_feature_detected!("lzcnt"));
            assert_eq!(present("avx512f"), is_x86_feature_detected!("avx512f"));
            assert_eq!(present("avxvnni"), is_x86_feature_detected!("avxvnni"));
        }

        #[test]
        fn this_build_runs_here() {
            assert_eq!(first_missing(0), None);
        }
    }
}
