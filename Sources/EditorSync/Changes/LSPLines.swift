import EditModel
import TextState

/// The lines of a text as a client counts them: ended by LF, CR LF and a lone CR, as in LSP, or only by LF.
///
/// O(log n) for each question, if the text has neither a lone CR nor U+2029; else O(paragraphs) to make.
struct LSPLines {
  private let state: TextState
  private let endsAtCR: Bool
  /// The start of each line. Nil if the lines are those of `state`, which LFs end.
  private let starts: [Int]?

  init(_ state: TextState, of client: LSPClient) {
    (self.state, endsAtCR) = (state, client.endsLinesAtCR)
    // A paragraph without an LF ends in a lone CR or in U+2029.
    guard endsAtCR, state.paragraphCount > state.lineCount else {
      starts = nil
      return
    }
    var starts = [0]
    for paragraph in state.paragraphs {
      let end = paragraph.range.upperBound
      if !paragraph.range.isEmpty, [0x0A, 0x0D].contains(state[end - 1]) { starts.append(end) }
    }
    self.starts = starts
  }

  /// The number of lines.
  var count: Int { starts?.count ?? state.lineCount }

  /// The range of a line's content, from 0 to less than `count`. For a client whose lines end at an LF only, a CR before
  /// it is content.
  func content(_ line: Int) -> UTF16Range {
    let (start, end) = bounds(line)
    guard end > start else { return UTF16Range(start..<end) }
    let last = state[end - 1]
    guard endsAtCR, last == 0x0A, end - start > 1, state[end - 2] == 0x0D else {
      return UTF16Range(start..<(last == 0x0A || endsAtCR && last == 0x0D ? end - 1 : end))
    }
    return UTF16Range(start..<end - 2)
  }

  /// The content's end for a column after it: before the CR of a CR LF, whatever the client counts as content.
  func end(of content: UTF16Range) -> Int {
    let end = content.upperBound
    let isBeforeCRLF =
      !content.isEmpty && end < state.length && state[end] == 0x0A && state[end - 1] == 0x0D
    return isBeforeCRLF ? end - 1 : end
  }

  /// The line that holds `offset`, and the units before it there.
  func position(at offset: Int) -> LinePosition {
    guard let starts else { return state.position(at: offset) }
    let line = max(0, starts.partitionPoint { $0 <= offset } - 1)
    return LinePosition(line: line, column: offset - starts[line])
  }

  /// True if no position of the client is there: between the two units of a CR LF.
  func splitsLineEnd(at offset: Int) -> Bool {
    endsAtCR && offset > 0 && offset < state.length && state[offset - 1] == 0x0D
      && state[offset] == 0x0A
  }

  private func bounds(_ line: Int) -> (start: Int, end: Int) {
    guard let starts else {
      let range = state.lineRange(line)
      return (range.location, range.upperBound)
    }
    return (starts[line], line + 1 < starts.count ? starts[line + 1] : state.length)
  }
}

extension LSPClient {
  /// The clients whose lines end at an LF only. They show a CR as a character of its line.
  private static let clientsOfLFLines: Set = [
    "Neovim", "vim-lsp", "coc.nvim", "emacs", "Eglot", "helix",
  ]

  /// True if a lone CR and a CR LF end a line too, as LSP specifies.
  var endsLinesAtCR: Bool { name.map { !Self.clientsOfLFLines.contains($0) } ?? true }
}
