import EditModel
import EditProtocol

extension Finding {
  /// The file, and the byte in it.
  private var place: String {
    file.shown + (offset.map { $0 > 0 ? ", byte \($0)" : "" } ?? "")
  }

  /// The exit status for this finding alone.
  var status: Int32 {
    switch kind {
    case .accepted, .handled: 0
    case .torn: 1
    case .repairable, .repaired, .unknown: 2
    case .refused: 4
    case .newer: 78
    case .damaged, .rewritten, .lost: 3
    }
  }

  /// The exit status for all of `findings`: that of the most serious one. Nil if there are none.
  static func status(of findings: [Finding]) -> Int32? {
    let order: [Int32] = [0, 1, 2, 78, 4, 3]
    return findings.map(\.status).max {
      (order.firstIndex(of: $0) ?? 0) < (order.firstIndex(of: $1) ?? 0)
    }
  }

  /// The finding as printed for people.
  func lines(_ style: Style) -> String {
    let kind = style.paint(kind.rawValue, status <= 1 ? .warning : .bad)
    var range: String?
    if let firstEdit, let lastEdit {
      range = firstEdit == lastEdit ? "edit \(firstEdit)" : "edits \(firstEdit) to \(lastEdit)"
    }
    let concerned = [range, document?.argument.shown].compactMap(\.self).joined(separator: " of ")
    let line =
      "\(place): \(kind): \(Excerpt.line(what, width: nil))"
      + (concerned.isEmpty ? "" : " (\(concerned))")
    return remedy.map { "\(line)\n  to do: \(Excerpt.line($0, width: nil))" } ?? line
  }
}
