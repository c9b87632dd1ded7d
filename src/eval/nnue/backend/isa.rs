//! The entry points of an instruction set, which compile the generic loops to its instructions.

/// Defines a backend by the CPU features it needs: a type whose values prove that the CPU has them, its
/// `detect`, and its kernels. A trait method cannot have `#[target_feature]`, so each calls a function that
/// has. The dot product ([`Dot`](super::registers::Dot)) is implemented by hand.
macro_rules! isa {
    ($isa:ident, $name:literal, $features:literal, $has:ident: $($feature:tt),+) => {
        #[doc = concat!("Proof that the CPU has ", $features, ".")]
        #[derive(Clone, Copy)]
        pub struct $isa(());

        impl $isa {
            /// The backend, if the CPU can run it.
            pub fn detect() -> Option<&'static dyn super::Backend> {
                static ISA: $isa = $isa(());
                ($(std::arch::$has!($feature))&&+).then_some(&ISA as _)
            }
        }

        const _: () = {
            use $crate::eval::nnue::backend::{Backend, isa::kernel, loops, scalar};
            use $crate::eval::nnue::layers::{Affine, Block, Bytes, FeatureTransformer};
            use $crate::eval::nnue::view::Update;

            impl Backend for $isa {
                fn name(&self) -> &'static str {
                    $name
                }

                kernel! { $isa, $features, isa, fn accumulate(
                    out: &mut [Block],
                    from: &[Block],
                    transformer: &FeatureTransformer,
                    update: Update
                ) { loops::accumulate(isa, out, from, transformer, update) } }
                kernel! { $isa, $features, _isa, fn crelu(sums: &[Block], out: &mut [Bytes]) {
                    scalar::crelu(sums, out)
                } }
                kernel! { $isa, $features, isa, fn pairwise(
                    left: &[Block],
                    right: &[Block],
                    limit: i16,
                    out: &mut [Bytes]
                ) { loops::pairwise(isa, left, right, limit, out) } }
                kernel! { $isa, $features, isa, fn affine(
                    layer: &Affine,
                    input: &[Bytes],
                    out: &mut [i32]
                ) { loops::affine(isa, layer, input, out) } }
                kernel! { $isa, $features, isa, fn affine_sparse(
                    layer: &Affine,
                    input: &[Bytes],
                    nonzero: &mut [u16],
                    out: &mut [i32]
                ) { loops::affine_sparse(isa, layer, input, nonzero, out) } }
                kernel! { $isa, $features, _isa, fn relu(sums: &[i32], out: &mut [Bytes]) {
                    scalar::relu(sums, out)
                } }
                kernel! { $isa, $features, _isa, fn sqr_relu_and_relu(
                    sums: &[i32],
                    out: &mut [Bytes]
                ) { scalar::sqr_relu_and_relu(sums, out) } }
                kernel! { $isa, $features, isa, fn screlu_dot(
                    sums: &[Block],
                    weights: &[Block]
                ) -> i32 { loops::screlu_dot(isa, sums, weights) } }
            }
        };
    };
}
pub(super) use isa;

/// A kernel: the method of [`Backend`](super::Backend), and within it the function with
/// `#[target_feature]`.
macro_rules! kernel {
    (
        $isa:ident, $features:literal, $this:ident,
        fn $name:ident($($argument:ident: $type:ty),*) $(-> $output:ty)? $body:block
    ) => {
        fn $name(&self, $($argument: $type),*) $(-> $output)? {
            #[target_feature(enable = $features)]
            fn kernel($this: $isa, $($argument: $type),*) $(-> $output)? $body
            // SAFETY: `detect` is the only way to this type, so the CPU has the features.
            unsafe { kernel(*self, $($argument),*) }
        }
    };
}
pub(super) use kernel;
