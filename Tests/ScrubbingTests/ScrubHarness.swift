import EditModel
import EditProtocol
import Scrubbing
import TestSupport

/// A screen on a history of which every text is known. It answers what the screen asks, at once or late.
struct ScrubHarness {
  /// The texts of all versions.
  private(set) var texts: [[UInt16]] = [[]]
  /// The edits, from 1 on.
  private(set) var edits: [EditPreview] = []
  var marks: [ShownMark] = []
  var saves: [SequenceNumber] = []
  /// The document's file, if it can be written.
  var file: String?
  /// Why it cannot be, if that is known.
  var fileProblem: ScrubAnswer.FileProblem?
  /// The length to which the texts of edits are cut, in UTF-16 units.
  private let textMax: Int
  /// The screen.
  var state: ScrubState
  /// Requests that were not answered yet.
  private(set) var waiting: [ScrubRequest] = []
  /// All requests so far.
  private(set) var requests: [ScrubRequest] = []

  /// A time zone, and a present.
  static let clock = ScrubClock(
    now: { Timestamp(nanoseconds: 2_000_000_000_000_000_000) },
    day: { "day \($0.nanoseconds / 86_400_000_000_000)" },
    time: { "\($0.nanoseconds / 1_000_000_000 % 86_400)" })

  /// A screen on the history of these texts, each made from the one before by one edit.
  ///
  /// - Parameters:
  ///   - texts: The texts of versions 1, 2, …
  ///   - textMax: The texts of edits are cut to this length, as the query engine cuts them.
  ///   - continues: True for an edit that belongs to the step of the edit before.
  init(
    _ texts: [String], at version: SequenceNumber? = nil, columns: Int = 80, rows: Int = 24,
    options: ScrubOptions = ScrubOptions(), textMax: Int = EditWindow.textMax,
    continues: (Int) -> Bool = { _ in false }
  ) {
    self.init(
      units: texts.map { Array($0.utf16) }, at: version, columns: columns, rows: rows,
      options: options, textMax: textMax, continues: continues)
  }

  /// As `init(_:)`, from units.
  init(
    units: [[UInt16]], at version: SequenceNumber? = nil, columns: Int = 80, rows: Int = 24,
    options: ScrubOptions = ScrubOptions(), textMax: Int = EditWindow.textMax,
    continues: (Int) -> Bool = { _ in false }
  ) {
    self.textMax = textMax
    state = ScrubState(
      name: "essay", at: version ?? SequenceNumber(units.count),
      latest: SequenceNumber(units.count), size: ScrubSize(columns: columns, rows: rows),
      options: options, clock: Self.clock)
    for text in units {
      append(text, continues: !edits.isEmpty && continues(edits.count + 1))
    }
    take(state.start())
    answerAll()
  }

  /// Adds a version to the history, which the screen does not know yet.
  mutating func append(_ text: [UInt16], continues: Bool) {
    let old = texts[texts.count - 1]
    var head = 0
    while head < min(old.count, text.count), old[head] == text[head] { head += 1 }
    var tail = 0
    while tail < min(old.count, text.count) - head,
      old[old.count - 1 - tail] == text[text.count - 1 - tail]
    {
      tail += 1
    }
    let inserted = UTF16Text(units: Array(text[head..<text.count - tail]))
    let removed = UTF16Text(units: Array(old[head..<old.count - tail]))
    let edit = Edit(
      sequence: SequenceNumber(texts.count),
      action: EditAction(replacing: UTF16Range(head..<old.count - tail), with: inserted),
      author: texts.count % 3 == 0 ? "ben" : "ann",
      time: Timestamp(nanoseconds: Int64(1_700_000_000 + texts.count) * 1_000_000_000))
    edits.append(
      EditPreview(edit, textMax: textMax, removed: removed, isContinuation: continues))
    texts.append(text)
  }

  /// Gives the screen an input, answers what it asks until it asks no more, and shows the frame.
  mutating func send(_ input: ScrubInput) {
    take(state.handle(input))
    answerAll()
    state.noteDrawn()
  }

  /// Gives the screen an input, without answering.
  mutating func sendOnly(_ input: ScrubInput) { take(state.handle(input)) }

  /// Types characters.
  mutating func type(_ keys: String) {
    for character in keys { send(.key(.character(character))) }
  }

  private mutating func take(_ requests: [ScrubRequest]) {
    self.requests += requests
    waiting += requests
  }

  /// Answers everything, also what the answers lead to.
  mutating func answerAll() {
    while !waiting.isEmpty { answer(0) }
  }

  /// Answers one request, or lets it fail.
  mutating func answer(_ index: Int, fails: Bool = false) {
    let request = waiting.remove(at: index)
    if fails { return take(state.handle(.failure(request, "it failed"))) }
    guard let answer = answer(to: request) else { return }
    take(state.handle(.answer(request, answer)))
  }

  private func answer(to request: ScrubRequest) -> ScrubAnswer? {
    let last = SequenceNumber(edits.count)
    switch request {
    case .edits(let after, let through):
      return .edits(Array(edits[Int(after)..<Int(min(through, last))]))
    case .text(let version): return .text(UTF16Text(units: texts[Int(version)]))
    case .removed(let edit, let range):
      return .text(UTF16Text(units: Array(texts[Int(edit) - 1][range.bounds])))
    case .times(let versions):
      return .times(
        versions.filter { $0 > 0 && $0 <= last }.map {
          let edit = edits[Int($0) - 1]
          return TimeSample($0, edit.time, author: edit.author)
        })
    case .places: return .places(marks: marks, saves: saves, sessions: [0])
    case .steps: return .steps(steps)
    case .step(let from, let count, .save):
      let next =
        count > 0 ? saves.first { $0 > from } : saves.last { $0 < from }
      return .version(next ?? from, stepCount: next == nil ? 0 : 1)
    case .step(let from, _, _): return .version(from, stepCount: 0)
    case .point(let text):
      guard let number = SequenceNumber(text), number <= last else { return nil }
      return .version(number)
    case .blame(let at, _):
      let text = UTF16Text(units: texts[Int(at)])
      return .blame([
        ShownBlamePiece(
          range: UTF16Range(0..<text.count), text: text,
          stamp: ShownStamp(sequence: at, time: edits[Int(at) - 1].time, author: "ann"))
      ])
    case .origin: return .version(1)
    case .search(let pattern, _): return matches(of: pattern)
    case .paragraph: return .paragraph(ParagraphID(sequence: 1, ordinal: 0), [1, last])
    case .preview:
      return .preview(
        ["@@", "-old", "+new"], base: last, file: file, fileProblem: fileProblem)
    case .restore(_, _, let writesFile):
      return .restored(
        last, isChanged: file != nil,
        file: file.map {
          writesFile
            ? .written($0)
            : .unchanged($0, command: "editlog restore essay --at latest --to essay.restored")
        })
    case .mark(let label, let at):
      return .marked(
        ShownMark(label: label, sequence: at, time: Self.clock.now(), author: nil))
    case .write: return .done("written")
    case .copy, .cancel, .suspend, .redraw, .quit: return .done()
    }
  }

  /// The first version with a text, as the only match, which lives until the first version without it.
  private func matches(of pattern: String) -> ScrubAnswer {
    let wanted = Array(pattern.utf16)
    for version in texts.indices.dropFirst() {
      for start in texts[version].indices where texts[version][start...].starts(with: wanted) {
        func stamp(_ version: Int) -> ShownStamp {
          ShownStamp(
            sequence: SequenceNumber(version), time: edits[version - 1].time, author: "ann")
        }
        func place(in text: [UInt16]) -> Int? {
          text.indices.first { text[$0...].starts(with: wanted) }
        }
        let end = texts.indices.first { $0 > version && place(in: texts[$0]) == nil }
        let last = end.flatMap { place(in: texts[$0 - 1]) }
        return .matches(
          [
            ShownMatch(
              text: UTF16Text(pattern), paragraph: ParagraphID(sequence: 1, ordinal: 0),
              appeared: stamp(version), vanished: end.map(stamp), location: start,
              livingLocation: end == nil ? start : nil,
              context: UTF16Text(pattern), contextLocation: 0,
              last: last.map {
                .init(location: $0, context: UTF16Text(pattern), contextLocation: 0)
              })
          ], count: 1)
      }
    }
    return .matches([], count: 0)
  }

  /// The undo steps, one after the other.
  private var steps: [ShownUndoStep] {
    var steps: [ShownUndoStep] = []
    for edit in edits {
      if edit.isContinuation, let last = steps.indices.last {
        steps[last].last = edit.sequence
        steps[last].editCount += 1
      } else {
        steps.append(
          ShownUndoStep(
            step: steps.count + 1, parent: steps.count, first: edit.sequence, last: edit.sequence,
            editCount: 1, inserted: edit.insertedLength, deleted: edit.removedLength,
            isCurrent: false, isUndone: false, origin: edit.origin, author: edit.author,
            time: edit.time))
      }
    }
    return steps
  }

  /// A random history of some versions.
  static func randomTexts(
    _ count: Int, pieces: [String], using random: inout SplitMix64
  ) -> [[UInt16]] {
    var (texts, text) = ([[UInt16]](), [UInt16]())
    for _ in 0..<count {
      let lower = Int.random(in: 0...text.count, using: &random)
      let upper = min(text.count, lower + Int.random(in: 0...6, using: &random))
      let piece = pieces[Int.random(in: 0..<pieces.count, using: &random)]
      text.replaceSubrange(lower..<upper, with: Array(piece.utf16))
      texts.append(text)
    }
    return texts
  }
}
