import EditModel
import EditProtocol
import TextState

// The screen as lines, for terminals without a cursor and for screen readers.
extension ScrubState {
  /// One line about the shown version: what the last edit did, and the line that it changed.
  package func plainLine() -> String {
    let version = cursor?.sequence ?? goal
    var parts = ["@\(version) of \(latest)"]
    if let edit = window[version] {
      parts.append(moment(edit.time))
      if let author = edit.author { parts.append(author.shown) }
      parts.append(edit.origin.name)
    } else if version == 0 {
      parts.append("the empty document")
    }
    if let shown, shown.added + shown.deleted > 0 {
      parts.append("+\(shown.added) -\(shown.deleted)")
    }
    if let shown, let line = deletedLine {
      parts.append("deleted line: \(content(of: line, shown.text))")
    } else if let cursor {
      let line = cursor.text.line(at: min(place, cursor.text.length))
      parts.append("line \(line + 1): \(content(of: line, cursor.text))")
    }
    return parts.joined(separator: "  ")
  }

  /// The beginning of a line, counted from 0.
  private func content(of line: Int, _ text: TextState) -> String {
    let range = text.lineContentRange(line)
    let start = text.text(
      in: UTF16Range(range.location..<range.location + min(range.length, 400)))
    return harmless(String(start), 200)
  }

  /// The lines of a list or a question that is open, and the message; empty if there are none.
  package func plainNotes() -> [String] {
    var lines: [String] = []
    switch mode {
    case .help: lines = HelpLines.lines(columns: 80)
    case .matches:
      guard let found else { break }
      lines = [matchLine(found.selected, found)]
    case .restoreMenu:
      let selection = selectedLines == nil ? "" : "s the selection, "
      lines = ["restore: v this version, p this paragraph, \(selection)x nothing"]
    case .confirm(let question, _):
      let problem = question.fileProblem?.notes.first.map { "; \($0)" } ?? ""
      let file = question.file.map { ", w restores and writes the file \($0)" } ?? problem
      lines = question.lines.prefix(200).map { harmless($0, 200) } + ["restore? y n\(file)"]
    case .browse, .prompt: break
    }
    return lines + (message.map { [harmless($0, 4_000)] } ?? [])
  }

  /// Text on one line, cut to some cells, without characters that could control a terminal.
  private func harmless(_ text: String, _ columns: Int) -> String {
    var frame = ScrubFrame(ScrubSize(columns: columns, rows: 1))
    frame.write(text, at: 0, 0, end: columns)
    return frame.line(0)
  }
}
