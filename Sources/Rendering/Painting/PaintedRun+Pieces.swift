extension PaintedRun {
  /// True if the text is ASCII, whose characters have one cell in each font.
  var isASCII: Bool { text.utf8.allSatisfy { $0 < 0x80 } }

  /// The run in pieces that are ASCII or have no ASCII character. The cells of the latter are those that
  /// the others leave, shared out by their characters if there are several.
  var pieces: [PaintedRun] {
    guard !isASCII, text.utf8.contains(where: { $0 < 0x80 }) else { return [self] }
    var texts: [(text: String, isASCII: Bool)] = []
    for character in text {
      let isASCII = character.utf8.count == 1
      if texts.last?.isASCII == isASCII {
        texts[texts.count - 1].text.append(character)
      } else {
        texts.append((String(character), isASCII))
      }
    }
    let others = texts.filter { !$0.isASCII }
    let otherCells = cells - texts.filter(\.isASCII).reduce(0) { $0 + $1.text.utf8.count }
    // All characters are equally wide, or the run stays whole.
    let count = others.reduce(0) { $0 + $1.text.count }
    guard otherCells > 0, otherCells % count == 0 else { return [self] }
    var pieces: [PaintedRun] = []
    var column = column
    for piece in texts {
      var run = self
      (run.text, run.column) = (piece.text, column)
      run.cells = piece.isASCII ? piece.text.utf8.count : piece.text.count * (otherCells / count)
      column += run.cells
      pieces.append(run)
    }
    return pieces
  }
}
