//! The entry points of an instruction set: what turns generic kernels into its instructions.

/// Defines a backend by the instructions it needs: the type whose values prove that the CPU has
/// them, its `detect`, and every kernel twice: a method, which cannot be given instructions, and
/// the function it calls, which can. The [`Registers`](super::registers::Registers) of the type
/// are for the file to define.
macro_rules! level {
    ($level:ident, $name:literal, $features:literal, $has:ident: $($feature:tt),+) => {
        #[doc = concat!("Proof that the CPU has ", $features, ".")]
        #[derive(Clone, Copy)]
        pub(super) struct $level(());

        impl $level {
            /// The backend, if the CPU can run it.
            pub fn detect() -> Option<&'static dyn $crate::eval::nnue::backend::Backend> {
                static LEVEL: $level = $level(());
                ($(std::arch::$has!($feature))&&+).then_some(&LEVEL as _)
            }
        }

        const _: () = {
            use $crate::eval::nnue::backend::{Backend, dense, rows, scalar};
            use $crate::eval::nnue::view::Changes;
            use $crate::eval::nnue::network::{Affine, Block, Bytes, Transformer};

            impl Backend for $level {
                fn name(&self) -> &'static str {
                    $name
                }

                fn accumulate(
                    &self,
                    out: &mut [Block],
                    from: &[Block],
                    transformer: &Transformer,
                    added: &[u32],
                    removed: &[u32],
                ) {
                    // SAFETY: `detect` is the only way to this type, so the CPU has the features.
                    unsafe { accumulate(*self, out, from, transformer, added, removed) }
                }

                fn advance(
                    &self,
                    out: &mut [Block],
                    from: &[Block],
                    transformer: &Transformer,
                    changes: &[Changes; 2],
                ) {
                    // SAFETY: as above.
                    unsafe { advance(*self, out, from, transformer, changes) }
                }

                fn clip(&self, sums: &[Block], out: &mut [Bytes]) {
                    // SAFETY: as above.
                    unsafe { clip(sums, out) }
                }

                fn product(
                    &self,
                    left: &[Block],
                    right: &[Block],
                    limit: i16,
                    out: &mut [Bytes],
                ) {
                    // SAFETY: as above.
                    unsafe { product(*self, left, right, limit, out) }
                }

                fn affine(&self, layer: &Affine, input: &[Bytes], out: &mut [i32]) {
                    // SAFETY: as above.
                    unsafe { affine(*self, layer, input, out) }
                }

                fn affine_sparse(
                    &self,
                    layer: &Affine,
                    input: &[Bytes],
                    list: &mut [u16],
                    out: &mut [i32],
                ) {
                    // SAFETY: as above.
                    unsafe { affine_sparse(*self, layer, input, list, out) }
                }

                fn activate(&self, sums: &[i32], out: &mut [Bytes]) {
                    // SAFETY: as above.
                    unsafe { activate(sums, out) }
                }

                fn squared(&self, sums: &[Block], weights: &[Block]) -> i32 {
                    // SAFETY: as above.
                    unsafe { squared(*self, sums, weights) }
                }

                fn activate_both(&self, sums: &[i32], out: &mut [Bytes]) {
                    // SAFETY: as above.
                    unsafe { activate_both(sums, out) }
                }
            }

            #[target_feature(enable = $features)]
            fn accumulate(
                level: $level,
                out: &mut [Block],
                from: &[Block],
                transformer: &Transformer,
                added: &[u32],
                removed: &[u32],
            ) {
                rows::accumulate(level, out, from, transformer, added, removed);
            }

            #[target_feature(enable = $features)]
            fn advance(
                level: $level,
                out: &mut [Block],
                from: &[Block],
                transformer: &Transformer,
                changes: &[Changes; 2],
            ) {
                rows::advance(level, out, from, transformer, changes);
            }

            #[target_feature(enable = $features)]
            fn clip(sums: &[Block], out: &mut [Bytes]) {
                scalar::clip(sums, out);
            }

            #[target_feature(enable = $features)]
            fn affine(level: $level, layer: &Affine, input: &[Bytes], out: &mut [i32]) {
                dense::affine(level, layer, input, out);
            }

            #[target_feature(enable = $features)]
            fn affine_sparse(
                level: $level,
                layer: &Affine,
                input: &[Bytes],
                list: &mut [u16],
                out: &mut [i32],
            ) {
                dense::affine_sparse(level, layer, input, list, out);
            }

            #[target_feature(enable = $features)]
            fn product(
                level: $level,
                left: &[Block],
                right: &[Block],
                limit: i16,
                out: &mut [Bytes],
            ) {
                dense::product(level, left, right, limit, out);
            }

            #[target_feature(enable = $features)]
            fn activate_both(sums: &[i32], out: &mut [Bytes]) {
                scalar::activate_both(sums, out);
            }

            #[target_feature(enable = $features)]
            fn activate(sums: &[i32], out: &mut [Bytes]) {
                scalar::activate(sums, out);
            }

            #[target_feature(enable = $features)]
            fn squared(level: $level, sums: &[Block], weights: &[Block]) -> i32 {
                dense::squared(level, sums, weights)
            }
        };
    };
}
pub(super) use level;
