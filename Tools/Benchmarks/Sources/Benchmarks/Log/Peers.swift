/// What others take for the same histories, in bytes.
///
/// Measured once with the traces of josephg/editing-traces, and written here to stand beside:
/// they are not run. Nothing that leaves out part of the history is among them but diamond-types,
/// which has no times.
enum Peers {
  /// An encoding, with its version and what it keeps.
  struct Encoding {
    let name: String
    /// Bytes by trace.
    let bytes: [String: Int]
  }

  static let encodings = [
    // diamond-types 2.0.0 (commit 3ce9d94), ENCODE_FULL: no times in the format.
    Encoding(
      name: "diamond-types-without-time",
      bytes: [
        "automerge-paper": 106_242, "sveltecomponent": 41_656, "json-crdt-patch": 35_301,
        "friendsforever_flat": 27_719,
      ]),
    // automerge 0.7.4 (Rust), save(), a change per transaction with its time in milliseconds.
    Encoding(
      name: "automerge",
      bytes: [
        "automerge-paper": 129_463, "sveltecomponent": 73_179, "json-crdt-patch": 74_672,
        "friendsforever_flat": 27_416,
      ]),
    // loro 1.17.1, snapshot, default settings: times of changes merged within an interval.
    Encoding(
      name: "loro-snapshot",
      bytes: [
        "automerge-paper": 229_433, "sveltecomponent": 112_599, "json-crdt-patch": 84_479,
        "friendsforever_flat": 62_177,
      ]),
    // yrs by pycrdt 0.14.13, state update v1 with gc=False: no times, no order of deletions.
    Encoding(
      name: "yrs-without-time-and-order",
      bytes: [
        "automerge-paper": 300_874, "sveltecomponent": 137_633, "json-crdt-patch": 125_253,
        "friendsforever_flat": 55_575,
      ]),
  ]

  /// The one that ratios are to.
  static let reference = encodings[1]
}
