/// A line with marked changes, shortened to a terminal so that the changes stay visible.
struct MarkedLine {
  /// The kind of a piece.
  enum Kind: Hashable {
    case same, removed, inserted
  }

  private var pieces: [(text: String, kind: Kind)] = []
  private let style: Style

  /// Columns of unchanged text to keep around a change in a shortened line.
  private static let contextWidth = 12

  init(_ style: Style) { self.style = style }

  /// True if a part of the line changed.
  var isChanged: Bool { pieces.contains { $0.kind != .same } }

  /// Adds a piece that has no control characters.
  mutating func append(_ text: String, _ kind: Kind) {
    if let last = pieces.last, last.kind == kind, kind == .same {
      pieces[pieces.count - 1].text += text
    } else {
      pieces.append((text, kind))
    }
  }

  /// The line in at most `width` columns; all of it if nil.
  func shown(width: Int?) -> String {
    guard let width, pieces.reduce(0, { $0 + self.width(of: $1) }) > width else {
      return pieces.reduce(into: "") { $0 += marked($1.text, $1.kind) }
    }
    var widths = pieces.map { self.width(of: $0) }
    let same = pieces.indices.filter { pieces[$0].kind == .same }
    let changed = pieces.indices.filter { pieces[$0].kind != .same }
    // Shortens unchanged text first, then long changes, then the remaining unchanged text.
    Self.narrow(&widths, same, least: Self.contextWidth, to: width)
    Self.narrow(&widths, changed, least: Self.contextWidth + marksWidth, to: width)
    Self.narrow(&widths, same, least: 1, to: width)
    var (result, rest) = ("", width)
    for (index, piece) in pieces.enumerated() {
      // The remaining changes do not fit.
      guard widths[index] <= rest else { return result + (rest > 0 ? "…" : "") }
      let isLast = index == pieces.count - 1
      // Keeps a column for the `…`.
      guard isLast || widths[index] < rest else { return result + (rest > 0 ? "…" : "") }
      rest -= widths[index]
      result += marked(cut(index, to: widths[index]), piece.kind)
    }
    return result
  }

  /// Narrows some pieces evenly, the widest most, until the line fits or none is wider than `least`.
  private static func narrow(
    _ widths: inout [Int], _ indices: [Int], least: Int, to width: Int
  ) {
    var excess = widths.reduce(0, +) - width
    while excess > 0, let widest = indices.map({ widths[$0] }).max(), widest > least {
      let wide = indices.filter { widths[$0] == widest }
      let next = max(least, indices.map { widths[$0] }.filter { $0 < widest }.max() ?? least)
      let step = min(widest - next, (excess + wide.count - 1) / wide.count)
      for index in wide { widths[index] -= step }
      excess -= step * wide.count
    }
  }

  /// A piece in at most `width` columns, marks included: the text next to the changes is kept.
  private func cut(_ index: Int, to width: Int) -> String {
    let (text, kind) = pieces[index]
    guard self.width(of: pieces[index]) > width else { return text }
    if kind != .same { return Excerpt.cut(text, to: max(1, width - marksWidth)) }
    if index == 0 { return Excerpt.cutFront(text, to: width) }
    if index == pieces.count - 1 { return Excerpt.cut(text, to: width) }
    let end = Excerpt.cutFront(text, to: width / 2)
    return text.prefix(columns: width - end.displayWidth) + end
  }

  private func width(of piece: (text: String, kind: Kind)) -> Int {
    piece.text.displayWidth + (piece.kind == .same ? 0 : marksWidth)
  }

  private var marksWidth: Int { style.isColoured ? 0 : "[--]".count }

  private func marked(_ text: String, _ kind: Kind) -> String {
    switch kind {
    case .same: text
    case .removed: style.isColoured ? style.paint(text, .removed) : "[-\(text)-]"
    case .inserted: style.isColoured ? style.paint(text, .added) : "{+\(text)+}"
    }
  }
}
