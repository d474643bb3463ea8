import EditLog
import EditModel
package import EditProtocol
import Projections
package import Replay
import TextState

extension GrepRequest: HistoryQuestion {
  /// UTF-16 units of matches and the lines around them after which an answer ends.
  private static let partLength = 1 << 20

  package var isClosed: Bool { at.isNumber }

  /// Folds the history once. The matches are cached for the next part.
  package func answer(
    _ engine: QueryEngine, _ replay: Replay
  ) async throws(ProtocolError) -> GrepAnswer {
    let pattern: SearchPattern
    do throws(SearchPatternError) {
      pattern = try SearchPattern(self.pattern, isFixed: isFixed, ignoresCase: ignoresCase)
    } catch { throw ProtocolError(.invalidParams, "the pattern cannot be used: \(error)") }
    let point = try engine.point(at, "at")
    try await engine.refuseLost(point, replay.history)
    let last: SequenceNumber
    do { last = try replay.sequence(of: point) } catch {
      throw ProtocolError(error, of: replay.history)
    }
    let key = FoundMatches.Key(self, last, replay)
    let found: FoundMatches
    if let kept: FoundMatches = engine.takePart(.matches(key)) {
      found = kept
    } else {
      found = try self.matches(of: pattern, through: last, engine, replay)
    }
    let matches = found.matches.dropFirst(skip)
    var (part, length) = ([ShownMatch](), 0)
    for match in matches.prefix(limit) where length < Self.partLength {
      part.append(ShownMatch(match))
      length += match.size
    }
    let hasNext = part.count < matches.count
    if hasNext { engine.keepPart(found, .matches(key), replay) }
    return GrepAnswer(
      sequence: last, count: found.matches.count, matches: part,
      next: hasNext ? skip + part.count : nil)
  }

  private func matches(
    of pattern: SearchPattern, through last: SequenceNumber, _ engine: QueryEngine, _ replay: Replay
  ) throws(ProtocolError) -> FoundMatches {
    var choice = TextMatches.Choice(isLiving: fate.map { $0 == .living })
    if after != nil || through != nil {
      let (after, through) = (after ?? 0, through ?? .max)
      // Edits are counted from 1.
      guard after < through else { return FoundMatches(matches: []) }
      choice.sequences = after + 1...through
    }
    let work = engine.work
    let budget = SearchBudget { work?.isOver ?? false }
    let projection = TextMatches(of: pattern, keeping: choice, budget: budget)
    let runner = try engine.fold(replay, [projection], through: last) { _ in budget.isExhausted }
    if let failure = budget.failure { throw ProtocolError(failure) }
    guard let matches = runner[TextMatches.self] else {
      throw ProtocolError(.internalError, "the matches were not folded")
    }
    return FoundMatches(matches: matches.found(in: runner.state))
  }
}

/// The matches of a history, for answers that are sent one after the other.
struct FoundMatches: Sendable {
  /// The version and the question.
  struct Key: Hashable {
    private let version: VersionKey
    private let pattern: [UInt8]
    private let (isFixed, ignoresCase): (Bool, Bool)
    private let fate: GrepRequest.Fate?
    private let (after, through): (SequenceNumber?, SequenceNumber?)

    init(_ request: GrepRequest, _ last: SequenceNumber, _ replay: Replay) {
      version = VersionKey(last, replay)
      // Strings are equal if they are canonically equivalent; patterns are not.
      pattern = Array(request.pattern.utf8)
      (isFixed, ignoresCase) = (request.isFixed, request.ignoresCase)
      (fate, after, through) = (request.fate, request.after, request.through)
    }
  }

  var matches: [TextMatch]
}

extension ShownMatch {
  fileprivate init(_ match: TextMatch) {
    self.init(
      text: match.text, paragraph: match.paragraph, appeared: ShownStamp(match.appeared),
      vanished: match.vanished.map { ShownStamp($0) }, location: match.location,
      livingLocation: match.livingLocation, context: match.context,
      contextLocation: match.contextLocation,
      last: match.last.map {
        Place(location: $0.location, context: $0.context, contextLocation: $0.contextLocation)
      })
  }
}

extension ProtocolError {
  /// Why a search ended early.
  fileprivate init(_ failure: SearchBudget.Failure) {
    switch failure {
    case .cancelled: self = .requestCancelled
    case .tooManyMatches(let max):
      self.init(
        .tooLarge,
        """
        the pattern has more than \(max) matches in this history; give a longer pattern, or ask for \
        a part of the history
        """)
    case .tooMuchText(let max):
      self.init(
        .tooLarge,
        """
        the matches have more than \(max) UTF-16 units; give a pattern with shorter matches, or ask \
        for a part of the history
        """)
    case .tooManySteps:
      self.init(
        .tooLarge,
        "the search with this regular expression takes too long; give a simpler one, or a string")
    case .lineTooLong(let length):
      self.init(
        .tooLarge,
        """
        a line of \(length) UTF-16 units is too long for this regular expression; give a shorter \
        one, or a string
        """)
    }
  }
}

extension GrepRequest {
  /// What is wrong with a pattern; nil if it can be searched for.
  package static func problem(
    of pattern: String, isFixed: Bool, ignoresCase: Bool
  ) -> String? {
    do throws(SearchPatternError) {
      _ = try SearchPattern(pattern, isFixed: isFixed, ignoresCase: ignoresCase)
      return nil
    } catch { return error.description }
  }
}
