import Foundation

/// Where lines go as they are taken.
struct Report {
  /// True if each measurement is one JSON object on a line.
  let isJSON: Bool

  /// Says what the figures were taken with: on standard error beside JSON.
  func begin(_ lines: [String]) {
    let text = lines.map { $0 + "\n" }.joined()
    write(text, to: isJSON ? .standardError : .standardOutput)
  }

  /// The lines of one figure on one trace.
  func show(_ lines: [ReportLine]) throws {
    guard !lines.isEmpty else { return }
    write(isJSON ? try json(lines) : table(lines), to: .standardOutput)
  }

  private func json(_ lines: [ReportLine]) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return try lines.map {
      String(decoding: try encoder.encode($0), as: UTF8.self) + "\n"
    }.joined()
  }

  private func table(_ lines: [ReportLine]) -> String {
    lines.map { line in
      let ratio = line.ratio.map { "\(Numbers.text($0)) x \(line.baseline ?? "")" } ?? ""
      return column(line.figure, 46) + column(line.trace, 26) + right(Numbers.text(line.value), 12)
        + " " + column(line.unit, 16) + right("\(line.samples)", 5) + "  " + ratio + "\n"
    }.joined() + "\n"
  }

  private func column(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  private func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
  }

  private func write(_ text: String, to file: FileHandle) { file.write(Data(text.utf8)) }
}
