import EditModel
package import EditProtocol
package import Replay
import TextState

extension DiffRequest: HistoryQuestion {
  /// UTF-16 units after which a part of the unified diff ends, at the end of the line.
  private static let partLength = 1 << 20
  /// The maximum length of the unified diff of an answer with hunks, which hold the lines again.
  private static let wholeLengthMax = 1 << 26

  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> DiffAnswer {
    guard let part else { return try await whole(engine, replay) }
    let (key, parts) = try await parts(engine, replay)
    guard part == 0 || part < parts.unified.count else {
      throw ProtocolError(
        .invalidParams, "params.part must be less than \(parts.unified.count), the number of parts")
    }
    var answer = parts.frame
    if part < parts.unified.count { answer.unified = parts.unified[part] }
    if part + 1 < parts.unified.count {
      (answer.next, answer.attributeChanges) = (part + 1, [])
      engine.keepPart(parts, .diff(key), replay)
    }
    return answer
  }

  /// The whole answer, with the hunks.
  private func whole(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> DiffAnswer {
    let (old, new) = try await states(engine, replay)
    var answer = try frame(old, new, replay)
    try engine.work?.pass(0.9)
    let unified = unified(old, new)
    let length = unified.reduce(0) { $0 + $1.count }
    guard length <= Self.wholeLengthMax else {
      throw ProtocolError(
        .tooLarge,
        """
        the difference has \(length) UTF-16 units, and an answer may have \(Self.wholeLengthMax): \
        ask for it in parts (`part`), as `editlog diff` does without --json
        """)
    }
    try engine.work?.pass(0.95)
    answer.hunks = TextDifference.lineHunks(from: old.text, to: new.text, context: context)
      .map(DiffHunk.init)
    for piece in unified { answer.unified.append(piece) }
    return answer
  }

  /// The two versions.
  private func states(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> (old: TextState, new: TextState) {
    let old = try await engine.state(at: from, "from", replay, share: 0...0.4)
    let new = try await engine.state(at: to, "to", replay, share: 0.4...0.8)
    try engine.work?.pass(0.8)
    return (old, new)
  }

  /// The parts, from the cache or computed.
  private func parts(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> (DiffParts.Key, DiffParts) {
    if case .sequence(let from) = try engine.point(from, "from"),
      case .sequence(let to) = try engine.point(to, "to")
    {
      let key = DiffParts.Key(from, to, context, replay)
      if let kept: DiffParts = engine.takePart(.diff(key)) { return (key, kept) }
    }
    let (old, new) = try await states(engine, replay)
    return (
      DiffParts.Key(old.sequence, new.sequence, context, replay),
      DiffParts(frame: try frame(old, new, replay), unified: unified(old, new))
    )
  }

  /// The answer without lines.
  private func frame(
    _ old: TextState, _ new: TextState, _ replay: Replay
  ) throws(ProtocolError) -> DiffAnswer {
    DiffAnswer(
      from: old.sequence, to: new.sequence, hunks: [], unified: "",
      attributeChanges: Self.attributeChanges(from: old, to: new),
      fromTime: try replay.history.time(of: old.sequence),
      toTime: try replay.history.time(of: new.sequence))
  }

  /// The unified diff in parts, with its header. Empty if the texts are equal.
  private func unified(_ old: TextState, _ new: TextState) -> [UTF16Text] {
    var pieces = TextDifference.unifiedPieces(
      from: old.text, to: new.text, context: context, pieceLength: Self.partLength)
    guard let first = pieces.first else { return [] }
    // The name is quoted as in git, so that a line break in it cannot end the header line.
    func name(_ state: TextState) -> String { "\(history.document)@\(state.sequence)".shown }
    pieces[0] = UTF16Text("--- \(name(old))\n+++ \(name(new))\n")
    pieces[0].append(first)
    return pieces
  }

  /// The ranges of the newer text that have the same text but other attributes.
  private static func attributeChanges(
    from old: TextState, to new: TextState
  ) -> [UTF16Range] {
    let isPlain = [old, new].allSatisfy { $0.attributeRuns.allSatisfy(\.attributes.isEmpty) }
    return isPlain ? [] : new.difference(from: old).attributeChanges
  }
}

extension DiffHunk {
  fileprivate init(_ hunk: LineHunk) {
    func first(_ lines: Range<Int>) -> Int {
      lines.isEmpty ? lines.lowerBound : lines.lowerBound + 1
    }
    self.init(
      fromLine: first(hunk.oldLines), fromCount: hunk.oldLines.count,
      toLine: first(hunk.newLines), toCount: hunk.newLines.count,
      lines: hunk.lines.map { line in
        var units = Array(String(line.kind.rawValue).utf16)
        units += line.text.units.last == 0x0A ? line.text.units.dropLast() : line.text.units[...]
        return UTF16Text(units: units)
      })
  }
}

/// A unified diff in parts, for answers that are sent one after the other.
struct DiffParts: Sendable {
  /// The versions and the context of a diff.
  struct Key: Hashable {
    private let (from, to): (VersionKey, VersionKey)
    private let context: Int

    init(_ from: SequenceNumber, _ to: SequenceNumber, _ context: Int, _ replay: Replay) {
      (self.from, self.to) = (VersionKey(from, replay), VersionKey(to, replay))
      self.context = context
    }
  }

  /// The answer without lines.
  var frame: DiffAnswer
  /// The parts.
  var unified: [UTF16Text]
}
