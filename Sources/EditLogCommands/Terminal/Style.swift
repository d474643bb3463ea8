/// The colours of the output.
struct Style: Hashable, Sendable {
  /// The role of a piece of output, which decides its colour.
  enum Role: Hashable, Sendable {
    case plain, header, sequence, time, origin, author, range
    case added, removed, hunk, event, faint, good, warning, bad
    /// One of several writers, counted from 0.
    case writer(Int)

    /// The parameter of the SGR escape sequence; nil for plain text.
    fileprivate var code: String? {
      switch self {
      case .plain: nil
      case .header: "1"
      case .sequence, .warning: "33"
      case .time, .faint: "2"
      case .origin, .hunk: "36"
      case .author: "34"
      case .range: "35"
      case .added, .good: "32"
      case .removed: "31"
      case .event: "1;36"
      case .bad: "1;31"
      case .writer(let number): Self.writers[number % Self.writers.count]
      }
    }

    private static let writers = ["34", "32", "35", "36", "33", "31"]
  }

  /// False if all output is plain.
  let isColoured: Bool

  /// `text` in the colour of its role.
  func paint(_ text: String, _ role: Role) -> String {
    guard isColoured, let code = role.code, !text.isEmpty else { return text }
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}
