/// What is shown for a cluster.
struct ClusterText {
  private let cluster: Cluster
  private let units: [UInt16]
  private let casing: DisplayCase

  /// The text of a cluster of `units`.
  ///
  /// - Parameters:
  ///   - cluster: The cluster.
  ///   - units: The scanned text.
  ///   - casing: How letters are shown.
  init(_ cluster: Cluster, _ units: [UInt16], _ casing: DisplayCase) {
    (self.cluster, self.units, self.casing) = (cluster, units, casing)
  }

  /// The shown text. It has no control character, no lone surrogate and no line break. A tab and an
  /// attachment are shown by as many spaces as they have cells.
  ///
  /// - Parameter cells: The cells that the cluster has on its row. If they are fewer than its own, a code
  ///   is cut, and all else is shown as U+FFFD.
  func shown(cells: Int) -> String {
    switch cluster.kind {
    case .tab, .object: return String(repeating: " ", count: cells)
    case .hidden, .lineBreak, .terminator: return ""
    case .control where cluster.cells > 1:
      return String((code ?? "").prefix(cells))
    case .control:
      var reader = ScalarReader(units, cluster.start..<cluster.end)
      return String(
        Character(
          reader.next().flatMap { ShownControl.picture(of: $0.scalar) }
            ?? ShownControl.replacement))
    case .text, .orphan:
      // Spaces that hang over the end of a row.
      if cells == 0 { return "" }
      if cells < cluster.cells { return String(Character(ShownControl.replacement)) }
      if let mapped { return text(mapped[...]) }
      return text(units[cluster.start..<cluster.end])
    }
  }

  /// The codes of its characters, such as `\u{200B}`, if nothing else tells what they are; `...` stands for
  /// those after the first four. Nil for others.
  var code: String? {
    guard cluster.kind == .hidden || cluster.kind == .control else { return nil }
    var (codes, count) = ("", 0)
    var reader = ScalarReader(units, cluster.start..<cluster.end)
    while let (scalar, _) = reader.next() {
      if ShownControl.hasItsOwnPicture(scalar) { return nil }
      count += 1
      guard count <= 4 else { return codes + "..." }
      codes += "\\u{\(String(scalar, radix: 16, uppercase: true))}"
    }
    return codes
  }

  /// The marks after the first character that are written beside it.
  var spacingMarkCount: Int {
    guard cluster.kind == .text else { return 0 }
    var reader = ScalarReader(units, cluster.start..<cluster.end)
    _ = reader.next()
    var count = 0
    while let (value, _) = reader.next() {
      if Unicode.Scalar(value)?.isSpacingMark == true { count += 1 }
    }
    return count
  }

  private func text(_ units: ArraySlice<UInt16>) -> String {
    if units.count == 1, let unit = units.first, unit < 0x80 {
      return String(Character(Unicode.Scalar(UInt8(truncatingIfNeeded: unit))))
    }
    var text = ""
    if cluster.kind == .orphan { text.unicodeScalars.append(ShownControl.dottedCircle) }
    var reader = ScalarReader(units, units.startIndex..<units.endIndex)
    while let (value, _) = reader.next() {
      let scalar = ShownControl.isNoncharacter(value) ? nil : Unicode.Scalar(value)
      text.unicodeScalars.append(scalar ?? ShownControl.replacement)
    }
    return text
  }

  /// The units in display case; nil if they are those of the text.
  var mapped: [UInt16]? {
    guard casing != .written, cluster.kind == .text else { return nil }
    var (mapped, isChanged) = ([UInt16](), false)
    var reader = ScalarReader(units, cluster.start..<cluster.end)
    let endsWord = endsWord
    while let (value, start) = reader.next() {
      let scalar = Unicode.Scalar(value)
      if let other = scalar.flatMap({ casing.mapped($0, endsWord: endsWord) }) {
        mapped += other.utf16
        isChanged = true
      } else {
        mapped += units[start..<reader.offset]
      }
    }
    return isChanged ? mapped : nil
  }

  /// True for the last letter of a word that has more: there, sigma has another lower case.
  private var endsWord: Bool {
    casing == .lower && units[cluster.start] == 0x3A3
      && isLetter(before: cluster.start) && !isLetter(at: cluster.end)
  }

  private func isLetter(before offset: Int) -> Bool {
    guard offset > 0 else { return false }
    let isPair =
      offset > 1 && UTF16.isTrailSurrogate(units[offset - 1])
      && UTF16.isLeadSurrogate(units[offset - 2])
    return isLetter(at: isPair ? offset - 2 : offset - 1)
  }

  private func isLetter(at offset: Int) -> Bool {
    guard offset < units.count else { return false }
    var reader = ScalarReader(units, offset..<min(units.count, offset + 2))
    return reader.next().flatMap { Unicode.Scalar($0.scalar) }?.properties.isCased ?? false
  }
}
