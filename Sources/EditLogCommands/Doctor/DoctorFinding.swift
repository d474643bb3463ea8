import EditJSON

/// The result of one check of `doctor`.
struct DoctorFinding: Hashable, Sendable {
  /// How things are.
  enum State: String, CaseIterable, Sendable {
    case ok, warning, problem
  }

  /// What was checked: a word of `--json`.
  let check: String
  let state: State
  /// One sentence without a full stop.
  let what: String
  /// The next step. Nil if there is nothing to do, or `what` says it.
  let remedy: String?

  static func ok(_ check: String, _ what: String) -> Self {
    Self(check: check, state: .ok, what: what, remedy: nil)
  }
  static func warning(_ check: String, _ what: String, _ remedy: String) -> Self {
    Self(check: check, state: .warning, what: what, remedy: remedy)
  }
  static func problem(_ check: String, _ what: String, _ remedy: String?) -> Self {
    Self(check: check, state: .problem, what: what, remedy: remedy)
  }

  static let codec = Codec<Self>(
    { DoctorFinding(check: $0, state: $1, what: $2, remedy: $3) },
    .required("check", \.check, .string), .required("state", \.state, .name()),
    .required("what", \.what, .string), .optional("remedy", \.remedy, .string))
}
