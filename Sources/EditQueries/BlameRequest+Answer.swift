import EditLog
import EditModel
package import EditProtocol
import Projections
package import Replay
import TextState

extension BlameRequest: HistoryQuestion {
  package var isClosed: Bool { part.at.isNumber }

  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> BlameAnswer {
    let version = try await engine.sequence(at: part.at, "at", replay)
    let key = BlameKey(
      version: VersionKey(version, replay), to: nil, lines: part.lines, isLast: last || noMoves)
    let parts: BlameParts<BlamePiece>
    if let kept: BlameParts<BlamePiece> = engine.takePart(.blame(key)) {
      parts = kept
    } else {
      let (tree, state) = try engine.undoTree(replay, through: version)
      let range = try state.range(ofLines: part.lines)
      let pieces = tree.provenance.blame(range, by: key.isLast ? .lastWriter : .firstWriter)
      parts = try BlameParts(
        state: state, range: range, pieces: pieces, writers: pieces.map(\.sequence), engine, replay)
    }
    let (pieces, next) = parts.pieces(from: part.offset, limit: part.limit)
    if next != nil { engine.keepPart(parts, .blame(key), replay) }
    return BlameAnswer(
      sequence: version, length: parts.state.length,
      pieces: pieces.map { piece, text in
        let stamp = parts.stamps[piece.sequence]
        return ShownBlamePiece(
          range: piece.range, text: text, stamp: stamp.shown, session: stamp.session,
          client: stamp.client)
      }, next: next)
  }
}

extension BlameReverseRequest: HistoryQuestion {
  package var isClosed: Bool { part.at.isNumber && to.isNumber }

  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> BlameReverseAnswer {
    let version = try await engine.sequence(at: part.at, "at", replay)
    let later = try await engine.sequence(at: to, "to", replay)
    guard version <= later else {
      throw ProtocolError(
        .unknownPoint, "version \(later) is before version \(version); \"to\" must not be earlier")
    }
    let key = BlameKey(
      version: VersionKey(version, replay), to: later, lines: part.lines, isLast: false)
    let parts: BlameParts<UnitFate>
    if let kept: BlameParts<UnitFate> = engine.takePart(.fates(key)) {
      parts = kept
    } else {
      var (older, state) = try engine.undoTree(replay, through: version, share: 0...0.4)
      let range = try state.range(ofLines: part.lines)
      let rest = try replay.history.restOfUndo(after: version, through: later)
      if let last = rest.last {
        older = try engine.undoTree(replay, through: last.sequence, share: 0.4...0.5).tree
      }
      let (newer, _) = try engine.undoTree(replay, through: later, share: 0.5...1)
      var fates = newer.provenance.fates(of: older.provenance)
      if !rest.isEmpty { fates = PlacedFates(length: state.length, rest).fates(fates) }
      fates = fates.compactMap { $0.clamped(to: range) }
      parts = try BlameParts(
        state: state, range: range, pieces: fates, writers: fates.compactMap(\.removal), engine,
        replay)
    }
    let (pieces, next) = parts.pieces(from: part.offset, limit: part.limit)
    if next != nil { engine.keepPart(parts, .fates(key), replay) }
    return BlameReverseAnswer(
      sequence: version, to: later, length: parts.state.length,
      pieces: pieces.map { fate, text in
        ShownPieceFate(
          range: fate.range, text: text, now: fate.location,
          vanished: fate.removal.map { parts.stamps[$0].shown })
      }, next: next)
  }
}

extension History {
  /// The edits after a version up to `last` that belong to the undo or redo which the version is inside;
  /// none if it is inside none.
  fileprivate func restOfUndo(
    after version: SequenceNumber, through last: SequenceNumber
  ) throws(ProtocolError) -> [Edit] {
    var rest: [Edit] = []
    do throws(LogError) {
      guard let here = try edit(at: version), here.origin == .undo || here.origin == .redo else {
        return []
      }
      var next = version + 1
      while next <= last, let edit = try self.edit(at: next), edit.transaction == here.transaction {
        rest.append(edit)
        next += 1
      }
    } catch { throw ProtocolError(error) }
    return rest
  }
}

extension QueryEngine {
  /// The number of the version that an expression names; `member` is its name in the call.
  func sequence(
    at expression: PointExpression, _ member: String, _ replay: Replay
  ) async throws(ProtocolError) -> SequenceNumber {
    let point = try point(expression, member)
    try await refuseLost(point, replay.history)
    do { return try replay.sequence(of: point) } catch {
      throw ProtocolError(error, of: replay.history)
    }
  }
}

extension TextState {
  /// The range of some lines, counted from 1, their LFs included; the whole text if nil.
  ///
  /// - Throws: `ProtocolError`: `unknownPoint` with the bounds if the text has not that many lines.
  fileprivate func range(
    ofLines lines: ClosedRange<Int>?
  ) throws(ProtocolError) -> UTF16Range {
    guard let lines else { return UTF16Range(0..<length) }
    do throws(PlaceError) {
      for line in [lines.lowerBound, lines.upperBound] {
        _ = try findOffset(LinePosition(line: line - 1, column: 0))
      }
    } catch { throw ProtocolError(.unknownPoint, "\(error)") }
    return UTF16Range(
      lineRange(lines.lowerBound - 1).location..<lineRange(lines.upperBound - 1).upperBound)
  }
}

/// A question about the pieces of a version.
struct BlameKey: Hashable {
  /// The version.
  var version: VersionKey
  /// The later version, for a question about fates.
  var to: SequenceNumber?
  var lines: ClosedRange<Int>?
  var isLast: Bool
}

/// A piece of a text.
protocol TextPiece: Sendable {
  /// The range, in UTF-16 units of the text.
  var range: UTF16Range { get }
  /// The part of the piece in a range that is not empty; nil if they share no unit.
  func clamped(to range: UTF16Range) -> Self?
}

extension BlamePiece: TextPiece {
  func clamped(to range: UTF16Range) -> BlamePiece? {
    var piece = self
    let part = self.range.bounds.clamped(to: range.bounds)
    piece.range = UTF16Range(part)
    return part.isEmpty ? nil : piece
  }
}

extension UnitFate: TextPiece {
  func clamped(to range: UTF16Range) -> UnitFate? {
    var fate = self
    let part = self.range.bounds.clamped(to: range.bounds)
    fate.range = UTF16Range(part)
    fate.location = location.map { $0 + part.lowerBound - self.range.location }
    return part.isEmpty ? nil : fate
  }
}

/// The pieces of a version, for answers that are sent one after the other.
struct BlameParts<Piece: TextPiece>: Sendable {
  /// The version.
  let state: TextState
  /// The range that the pieces cover, in order.
  private let range: UTF16Range
  private let pieces: [Piece]
  /// The edits that the pieces name.
  let stamps: EditStamps

  /// Pieces that name the edits `writers`.
  init(
    state: TextState, range: UTF16Range, pieces: [Piece], writers: [SequenceNumber],
    _ engine: QueryEngine, _ replay: Replay
  ) throws(ProtocolError) {
    (self.state, self.range, self.pieces) = (state, range, pieces)
    do {
      stamps = try EditStamps(of: writers, in: replay.history) { try engine.work?.pass(1) }
    } catch { throw ProtocolError(reading: error, of: replay.history) }
  }

  /// The pieces from a location on, at most `limit` and with at most `BlamePart.textLengthMax` units,
  /// each with its text; and the location after them, if more follow. A piece that alone has more units
  /// is split; the second part of a piece comes first in the next answer.
  func pieces(
    from offset: Int, limit: Int
  ) -> (pieces: [(piece: Piece, text: UTF16Text)], next: Int?) {
    let start = min(max(offset, range.location), range.upperBound)
    let first = pieces.partitionPoint { $0.range.upperBound <= start }
    var end = start
    var part: [Piece] = []
    for piece in pieces[first...].prefix(limit) {
      let room = start + BlamePart.textLengthMax
      if piece.range.upperBound > room, end > start { break }
      let bounds = UTF16Range(start..<min(piece.range.upperBound, room))
      guard let piece = piece.clamped(to: bounds) else { break }
      part.append(piece)
      end = piece.range.upperBound
    }
    let units = state.text(in: UTF16Range(start..<end)).units
    let texts = part.map { piece in
      let bounds = piece.range.location - start..<piece.range.upperBound - start
      return (piece, UTF16Text(units: Array(units[bounds])))
    }
    return (texts, end < range.upperBound ? end : nil)
  }
}
