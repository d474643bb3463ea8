import EditModel

/// A value as a place of settings gives it, before its kind and range are checked.
package enum GivenValue: Hashable, Sendable {
  case text(String)
  case number(Int)
  case fraction(Double)
  case truth(Bool)

  /// The value without quotes, on one line.
  var plain: String {
    switch self {
    case .text(let text): text.shown
    case .number(let number): String(number)
    case .fraction(let number): String(number)
    case .truth(let truth): String(truth)
    }
  }
}

extension Setting.Value {
  /// A value of a type that settings have; nil for others.
  init?(_ given: GivenValue) {
    switch given {
    case .text(let text): self = .text(text)
    case .number(let number): self = .number(number)
    case .fraction, .truth: return nil
    }
  }
}
