import EditLog
import EditModel
import EditProtocol
import Replay
import Styling
import Synchronization

/// What is kept for the next call with the same rules: the rules, read and compiled, and for documents
/// what the grammar knows of them. It has no text of a document, so that its size has a bound.
///
/// A question that began before `drop` gets nothing, and nothing is kept of it.
final class StyleCache: Sendable {
  private struct Key: Hashable {
    /// The document's number in the store. It is never reused.
    var document: UInt64
    var isVerified: Bool
    var rules: RenderRules
  }

  private struct Known {
    var key: Key
    var places: SyntaxPlaces
    /// The version of which they are.
    var sequence: SequenceNumber
  }

  private struct Contents {
    /// Those that were used last are the last.
    var rules: [(source: RenderRules, rules: StyleRules)] = []
    var known: [Known] = []
    /// The oldest generation of which something is kept.
    var generation: UInt64 = 0
  }

  private static let (rulesCountMax, knownCountMax) = (4, 8)
  /// Rules with longer texts are read for each call. In bytes.
  private static let sizeMax = 1 << 18
  /// Edits that are followed from one call to the next, at most. After more, nothing is known.
  private static let editCountMax: SequenceNumber = 4_096

  private let contents = Mutex(Contents())

  /// The rules of a source, which `make` reads if they are not kept.
  func rules(
    _ source: RenderRules, make: () throws(ProtocolError) -> StyleRules
  ) throws(ProtocolError) -> StyleRules {
    let kept = contents.withLock { contents -> StyleRules? in
      guard let index = contents.rules.firstIndex(where: { $0.source == source }) else {
        return nil
      }
      let kept = contents.rules.remove(at: index)
      contents.rules.append(kept)
      return kept.rules
    }
    if let kept { return kept }
    let rules = try make()
    guard source.size <= Self.sizeMax else { return rules }
    contents.withLock { contents in
      contents.rules.append((source, rules))
      if contents.rules.count > Self.rulesCountMax { contents.rules.removeFirst() }
    }
    return rules
  }

  /// Takes what a grammar knows of a version, for a question of `generation`: nothing at first.
  ///
  /// - Parameters:
  ///   - rules: The source of the rules.
  ///   - replay: The history.
  ///   - sequence: The version.
  ///   - generation: The generation of the question.
  func takePlaces(
    _ rules: RenderRules, _ replay: Replay, _ sequence: SequenceNumber, _ generation: UInt64
  ) -> SyntaxPlaces {
    let key = Self.key(rules, replay)
    let known = contents.withLock { contents -> Known? in
      guard generation >= contents.generation,
        let index = contents.known.firstIndex(where: { $0.key == key })
      else { return nil }
      return contents.known.remove(at: index)
    }
    guard var known else { return SyntaxPlaces() }
    let (first, last) = (min(known.sequence, sequence), max(known.sequence, sequence))
    guard last - first <= Self.editCountMax else { return SyntaxPlaces() }
    var edits: [EditAction] = []
    do {
      try replay.history.forEachEdit(of: Array(first + 1..<last + 1)) { edits.append($0.action) }
    } catch { return SyntaxPlaces() }
    guard edits.count == Int(last - first) else { return SyntaxPlaces() }
    if known.sequence < sequence {
      for edit in edits where edit.actions.contains(.characters) {
        known.places.follow(replacing: edit.range, changeInLength: edit.changeInLength)
      }
    } else {
      for edit in edits.reversed() where edit.actions.contains(.characters) {
        let length = edit.range.length + edit.changeInLength
        known.places.follow(
          replacing: UTF16Range(edit.range.location..<edit.range.location + length),
          changeInLength: -edit.changeInLength)
      }
    }
    return known.places
  }

  /// Keeps what a grammar knows of a version.
  ///
  /// - Parameters:
  ///   - places: What it knows.
  ///   - rules: The source of the rules.
  ///   - replay: The history.
  ///   - sequence: The version.
  ///   - generation: The generation of the question.
  func keep(
    _ places: SyntaxPlaces, _ rules: RenderRules, _ replay: Replay, _ sequence: SequenceNumber,
    _ generation: UInt64
  ) {
    guard rules.size <= Self.sizeMax else { return }
    let key = Self.key(rules, replay)
    contents.withLock { contents in
      guard generation >= contents.generation else { return }
      if let index = contents.known.firstIndex(where: { $0.key == key }) {
        // Of another question at the same time.
        guard contents.known[index].places.count <= places.count else { return }
        contents.known.remove(at: index)
      }
      contents.known.append(Known(key: key, places: places, sequence: sequence))
      if contents.known.count > Self.knownCountMax { contents.known.removeFirst() }
    }
  }

  /// Drops what is known of documents, and keeps nothing of generations before `generation`.
  func drop(before generation: UInt64) {
    contents.withLock { contents in
      contents.known = []
      contents.generation = max(contents.generation, generation)
    }
  }

  private static func key(_ rules: RenderRules, _ replay: Replay) -> Key {
    Key(document: replay.history.number, isVerified: replay.isVerified, rules: rules)
  }
}

extension RenderRules {
  /// The bytes of all texts.
  fileprivate var size: Int {
    files.reduce(text.utf8.count) { $0 + $1.name.utf8.count + $1.text.utf8.count }
  }
}
