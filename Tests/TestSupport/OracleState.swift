public import EditModel
public import TextState

/// The slow, obvious state: arrays, whole paragraphs, one attribute set per unit. What
/// `TextState` is compared with.
public struct OracleState: Sendable {
  /// A paragraph with its own units.
  public struct Paragraph: Hashable, Sendable {
    /// Who it is.
    public var id: ParagraphID
    /// Its text, terminator included.
    public var units: [UInt16]
    /// What its units carry.
    public var attributes: [AttributeSet]
  }

  /// The number of the last applied edit.
  public var sequence: SequenceNumber = 0
  /// The paragraphs in order.
  public var paragraphs = [
    Paragraph(id: ParagraphID(sequence: 0, ordinal: 0), units: [], attributes: [])
  ]

  /// The empty document.
  public init() {}

  /// The whole text.
  public var units: [UInt16] { paragraphs.flatMap(\.units) }
  /// What each unit carries.
  public var attributes: [AttributeSet] { paragraphs.flatMap(\.attributes) }

  /// The longest runs.
  public var runs: [AttributeRun] {
    var runs: [AttributeRun] = []
    for set in attributes {
      if runs.last?.attributes == set {
        runs[runs.count - 1].length += 1
      } else {
        runs.append(AttributeRun(length: 1, attributes: set))
      }
    }
    return runs
  }

  /// Identifiers and ranges.
  public var descriptors: [ParagraphDescriptor] {
    var start = 0
    return paragraphs.map { paragraph in
      let end = start + paragraph.units.count
      defer { start = end }
      return ParagraphDescriptor(id: paragraph.id, range: UTF16Range(start..<end))
    }
  }

  /// Identifier and range of one paragraph.
  public func descriptor(_ index: Int) -> ParagraphDescriptor { descriptors[index] }

  /// The paragraph that holds `offset`: its start belongs to it, the text's end to the last.
  public func paragraphIndex(at offset: Int) -> Int {
    descriptors.firstIndex { $0.range.bounds.contains(offset) } ?? paragraphs.count - 1
  }
}

extension OracleState {
  /// The pieces of a text: each ends after its terminator, the last has none.
  public static func split(_ units: [UInt16]) -> [[UInt16]] {
    var (pieces, piece): ([[UInt16]], [UInt16]) = ([], [])
    for (index, unit) in units.enumerated() {
      piece.append(unit)
      let isHalfOfCRLF =
        unit == 0x0D && index + 1 < units.count && units[index + 1] == 0x0A
      if [0x0A, 0x0D, 0x2029].contains(unit), !isHalfOfCRLF {
        pieces.append(piece)
        piece = []
      }
    }
    return pieces + [piece]
  }

  /// Applies an edit and returns the paragraph events that it must have, nil if it must be
  /// refused.
  public mutating func apply(_ action: EditAction) -> [ParagraphEvent]? {
    guard action.range.upperBound <= units.count else { return nil }
    let newAttributes = attributesLeft(by: action)
    sequence += 1
    if let replacement = action.replacement {
      return replace(action.range.bounds, replacement.units, newAttributes)
    }
    return restyle(action.range.bounds, newAttributes)
  }

  /// What each unit of the edited range carries after the edit.
  private func attributesLeft(by action: EditAction) -> [AttributeSet] {
    let (all, range) = (attributes, action.range.bounds)
    var base = Array(all[range])
    if let replacement = action.replacement {
      let inherited: AttributeSet
      if !range.isEmpty {
        inherited = all[range.lowerBound]
      } else if range.lowerBound > 0 {
        inherited = all[range.lowerBound - 1]
      } else {
        inherited = all.first ?? .empty
      }
      base = Array(repeating: inherited, count: replacement.count)
    }
    switch action.attributes {
    case .inherit: return base
    case .set(let runs): return expand(runs)
    case .merge(let runs): return zip(base, expand(runs)).map { $0.merging($1) }
    case .remove(let names): return base.map { $0.removing(names) }
    }
  }

  private func expand(_ runs: [AttributeRun]) -> [AttributeSet] {
    runs.flatMap { Array(repeating: $0.attributes, count: $0.length) }
  }
}

extension OracleState {
  private mutating func restyle(
    _ range: Range<Int>, _ newAttributes: [AttributeSet]
  ) -> [ParagraphEvent] {
    var all = attributes
    all.replaceSubrange(range, with: newAttributes)
    var events: [ParagraphEvent] = []
    for index in paragraphs.indices {
      let bounds = descriptor(index).range.bounds
      let new = Array(all[bounds])
      if let event = restyled(index, from: paragraphs[index].attributes, to: new) {
        events.append(event)
      }
      paragraphs[index].attributes = new
    }
    return events
  }

  func restyled(
    _ index: Int, from old: [AttributeSet], to new: [AttributeSet]
  ) -> ParagraphEvent? {
    let changed = old.indices.filter { old[$0] != new[$0] }
    guard let first = changed.first, let last = changed.last else { return nil }
    let descriptor = descriptor(index)
    let start = descriptor.range.location
    return .attributesChanged(
      index: index, descriptor: descriptor, range: UTF16Range(start + first..<start + last + 1))
  }

  /// The rules of identity, word for word.
  private mutating func replace(
    _ range: Range<Int>, _ new: [UInt16], _ newAttributes: [AttributeSet]
  ) -> [ParagraphEvent] {
    let old = self
    let text = units
    var (i, j) = (paragraphIndex(at: range.lowerBound), paragraphIndex(at: range.upperBound))
    let after = text[..<range.lowerBound] + new + text[range.upperBound...]
    if i > 0, range.lowerBound == descriptor(i).range.location,
      text[range.lowerBound - 1] == 0x0D,
      after.dropFirst(range.lowerBound).first == 0x0A
    {
      i -= 1
    }
    let head = range.lowerBound - descriptor(i).range.location
    let tail = descriptor(j).range.upperBound - range.upperBound
    let joined =
      paragraphs[i].units.prefix(head) + new + paragraphs[j].units.suffix(tail)
    var joinedAttributes =
      paragraphs[i].attributes.prefix(head) + newAttributes
      + paragraphs[j].attributes.suffix(tail)
    var pieces = Self.split(Array(joined))
    // Only the last paragraph of the text has no terminator.
    if j < paragraphs.count - 1, pieces.last == [] { pieces.removeLast() }

    let keeper = identities(
      old: i...j, new: pieces.count, headIsEmpty: head == 0,
      tail: Array(paragraphs[j].units.suffix(tail)))
    var ordinal: UInt32 = 0
    var result: [Paragraph] = []
    for (index, piece) in pieces.enumerated() {
      var id = ParagraphID(sequence: sequence, ordinal: ordinal)
      if let kept = keeper[index] { id = paragraphs[kept].id } else { ordinal += 1 }
      result.append(
        Paragraph(
          id: id, units: piece, attributes: Array(joinedAttributes.prefix(piece.count))))
      joinedAttributes = joinedAttributes.dropFirst(piece.count)
    }
    paragraphs.replaceSubrange(i...j, with: result)

    // Where the old units went: the head to the first piece, the tail to the last.
    let headGoesTo = head > 0 ? result[0].id : nil
    let tailGoesTo = tail > 0 ? result[result.count - 1].id : nil
    var events: [ParagraphEvent] = []
    for index in (i...j).reversed() where !keeper.contains(index) {
      let target = (index == i ? headGoesTo : nil) ?? (index == j ? tailGoesTo : nil)
      events.append(
        .removed(index: index, descriptor: old.descriptor(index), mergedInto: target))
    }
    for (offset, kept) in keeper.enumerated() {
      let index = i + offset
      if let kept {
        let (before, now) = (old.paragraphs[kept], paragraphs[index])
        if before.units != now.units {
          events.append(
            .edited(
              index: index, descriptor: descriptor(index),
              oldRange: old.descriptor(kept).range))
        } else if let event = restyled(index, from: before.attributes, to: now.attributes) {
          events.append(event)
        }
      } else {
        let fromHead = offset == 0 && head > 0 ? old.paragraphs[i].id : nil
        let fromTail = offset == keeper.count - 1 && tail > 0 ? old.paragraphs[j].id : nil
        events.append(
          .inserted(
            index: index, descriptor: descriptor(index), splitFrom: fromHead ?? fromTail))
      }
    }
    return events
  }

  /// For each new piece the old paragraph whose identity it keeps.
  private func identities(
    old: ClosedRange<Int>, new: Int, headIsEmpty: Bool, tail: [UInt16]
  ) -> [Int?] {
    var keeper = [Int?](repeating: nil, count: new)
    let tailHasContent = tail.contains { ![0x0A, 0x0D, 0x2029].contains($0) }
    switch (old.count, new) {
    case (1, 1):
      keeper[0] = old.lowerBound
    case (1, _):
      keeper[headIsEmpty && tailHasContent ? new - 1 : 0] = old.lowerBound
    case (_, 1):
      keeper[0] = headIsEmpty && !tail.isEmpty ? old.upperBound : old.lowerBound
    default:
      for position in 0..<min(old.count, new) - 1 { keeper[position] = old.lowerBound + position }
      keeper[new - 1] = old.upperBound
    }
    return keeper
  }
}
