//! Kinds of nodes, known at compile time.
#![forbid(unsafe_code)]

/// What kind of node a search function works on. A PV node may return any value of its window and
/// keeps its line of play; any other node only answers whether the value exceeds alpha.
pub trait NodeType {
    /// Whether the window may be wider than one.
    const PV: bool;
    /// Whether it is the root.
    const ROOT: bool;
}

/// The root.
pub struct Root;
/// A node of the principal variation below the root.
pub struct Pv;
/// Every other node.
pub struct NonPv;

impl NodeType for Root {
    const PV: bool = true;
    const ROOT: bool = true;
}

impl NodeType for Pv {
    const PV: bool = true;
    const ROOT: bool = false;
}

impl NodeType for NonPv {
    const PV: bool = false;
    const ROOT: bool = false;
}
