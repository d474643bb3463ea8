import EditModel
import TestSupport
import Testing
import TextState

@testable import Projections

@Suite struct PositionalParagraphsTests {
  @Test(arguments: PositionalCase.reference + PositionalCase.keystrokes)
  func `does what the reference storage does`(testCase: PositionalCase) throws {
    try check(testCase)
  }

  @Test(
    arguments: PositionalCase.additionsAfterSeveral + PositionalCase.terminators
      + PositionalCase.groups)
  func `keeps the list in order where the reference storage does not`(
    testCase: PositionalCase
  ) throws {
    try check(testCase)
  }

  private func check(_ testCase: PositionalCase) throws {
    var (runner, known) = (ProjectionRunner([PositionalParagraphs()]), [ParagraphID]())
    func process(_ steps: [PositionalCase.Step]) throws {
      let first = runner.state.sequence + 1
      for step in steps {
        let sequence = runner.state.sequence + 1
        try runner.apply(Edit(sequence: sequence, action: action(step), transaction: first))
      }
      let ids = try #require(runner[PositionalParagraphs.self]).ids
      known += ids.filter { !known.contains($0) }.sorted()
    }
    try process([])
    for step in testCase.steps { try process([step]) }
    try process(testCase.edits)

    let model = try #require(runner[PositionalParagraphs.self])
    func name(_ id: ParagraphID) -> String { known.firstIndex(of: id).map { "p\($0)" } ?? "?" }
    #expect(runner.state.text == UTF16Text(testCase.text))
    #expect(model.ids.map(name).joined(separator: " ") == testCase.ids)
    let callbacks = model.callbacks(in: runner.state).map { show($0, name) }
    #expect(callbacks.joined(separator: ", ") == testCase.callbacks)
    let paragraphs = model.paragraphs(in: runner.state)
    #expect(paragraphs.map(\.range) == runner.state.paragraphs.map(\.range))
    #expect(paragraphs.map(\.id) == model.ids && model.count == model.ids.count)
  }

  private func action(_ step: PositionalCase.Step) throws -> EditAction {
    if let text = step.text { return replace(step.location, step.length, UTF16Text(text)) }
    let run = AttributeRun(length: step.length, attributes: ["color": .string("blue")])
    return try EditAction(
      range: UTF16Range(step.location..<step.location + step.length), replacement: nil,
      attributes: .merge([run]))
  }

  private func show(_ callback: ParagraphCallback, _ name: (ParagraphID) -> String) -> String {
    func show(_ call: String, _ index: Int, _ descriptor: ParagraphDescriptor) -> String {
      "\(call) \(index) \(name(descriptor.id)) \(descriptor.range)"
    }
    return switch callback {
    case .willDelete(let index, let descriptor): show("willDelete", index, descriptor)
    case .didEdit(let index, let descriptor): show("didEdit", index, descriptor)
    case .didAdd(let index, let descriptor): show("didAdd", index, descriptor)
    case .shouldSetStyle(let index, let descriptor): show("shouldSetStyle", index, descriptor)
    }
  }

  @Test func `a fresh model has one paragraph and nothing to tell`() {
    let (state, model) = (TextState(), PositionalParagraphs())
    #expect(model.paragraphs(in: state) == Array(state.paragraphs))
    #expect(model.callbacks(in: state).isEmpty && model.extent == nil)
  }

  @Test func `identifiers come from the transaction that made them`() throws {
    var runner = ProjectionRunner([PositionalParagraphs()])
    try runner.apply(Edit(sequence: 1, action: replace(0, 0, "a\nb")))
    try runner.apply(Edit(sequence: 2, action: replace(1, 0, "x\ny")))
    try runner.apply(Edit(sequence: 3, action: replace(0, 0, "z\n"), transaction: 2))
    let model = try #require(runner[PositionalParagraphs.self])
    #expect(model.ids.map(\.description) == ["0.0", "2.0", "2.1", "1.0"])
    #expect(model.extent?.editedRange == UTF16Range(0..<6) && model.extent?.changeInLength == 5)
  }

  /// Random histories of single edits and transactions, asked for callbacks after every edit.
  @Test(arguments: UInt64(0)..<60)
  func `agrees with the rule on plain lists`(seed: UInt64) throws {
    var (random, state) = (SplitMix64(seed: seed), TextState())
    var (model, oracle) = (PositionalParagraphs(), PositionalOracle())
    for _ in 0..<40 {
      let (ids, base, first) = (model.ids, oracle, state.sequence + 1)
      var actions: [EditAction] = []
      for _ in 0..<(Bool.random(using: &random) ? 1 : Int.random(in: 1...5, using: &random)) {
        // Every third text has no CR, where the rule's own counts are checked as well.
        let action = try random.action(in: state.length, withoutCR: seed % 3 == 0)
        let edit = Edit(sequence: state.sequence + 1, action: action, transaction: first)
        model.willApply(edit, to: state)
        model.apply(edit, try state.apply(action), state)
        actions.append(action)

        oracle = base
        let callbacks = oracle.process(actions, sequence: first)
        #expect(model.callbacks(in: state) == callbacks)
        #expect(model.ids == oracle.ids && model.count == state.paragraphCount)
        #expect(Set(model.ids).count == model.count)
        #expect(replay(callbacks, on: ids) == model.ids)
      }
    }
  }

  /// The identifiers that a delegate which keeps a list of them ends with.
  private func replay(_ callbacks: [ParagraphCallback], on ids: [ParagraphID]) -> [ParagraphID] {
    var ids = ids
    for callback in callbacks {
      switch callback {
      case .willDelete(let index, let descriptor): #expect(ids.remove(at: index) == descriptor.id)
      case .didAdd(let index, let descriptor): ids.insert(descriptor.id, at: index)
      case .didEdit(let index, let descriptor): #expect(ids[index] == descriptor.id)
      case .shouldSetStyle(let index, let descriptor): #expect(ids[index] == descriptor.id)
      }
    }
    return ids
  }

  /// The yardstick of deletion traces follows the same rule.
  @Test(arguments: UInt64(0)..<12)
  func `agrees with the linear algorithm`(seed: UInt64) throws {
    var (random, runner) = (SplitMix64(seed: seed), ProjectionRunner([PositionalParagraphs()]))
    var linear = LinearParagraphs(runner.state, clock: { 0 })
    for sequence in SequenceNumber(1)...60 {
      let action = EditAction(
        replacing: random.range(in: runner.state.length), with: random.text(pieces: 0...9))
      _ = linear.apply(action)
      try runner.apply(Edit(sequence: sequence, action: action))
      let paragraphs = try #require(runner[PositionalParagraphs.self]).paragraphs(in: runner.state)
      #expect(paragraphs.map(\.id) == linear.descriptors.map(\.id))
      #expect(paragraphs.map(\.range.location) == linear.descriptors.map(\.location))
    }
  }

  /// Resumed between two transactions, a model tells the same as one that was there all along, of
  /// paragraphs that have other names.
  @Test(arguments: UInt64(0)..<6) func `resumes from a stored version`(seed: UInt64) throws {
    let edits = MixedHistory(seed: seed, editCount: 120).edits
    let cut = try #require(edits.indices.first { $0 > 60 && edits[$0].opensTransaction })
    var whole = ProjectionRunner([PositionalParagraphs()])
    for edit in edits[..<cut] { try whole.apply(edit) }
    var resumed = ProjectionRunner(from: whole.state, [PositionalParagraphs(from: whole.state)])
    for edit in edits[cut...] {
      try whole.apply(edit)
      try resumed.apply(edit)
      let model = try #require(whole[PositionalParagraphs.self])
      let other = try #require(resumed[PositionalParagraphs.self])
      #expect(Set(other.ids).count == other.count && other.count == model.count)
      let callbacks = model.callbacks(in: whole.state).map(place)
      #expect(other.callbacks(in: whole.state).map(place) == callbacks)
    }
  }

  @Test func `resumed inside a transaction, names no paragraph twice`() throws {
    var state = TextState()
    try state.apply(replace(0, 0, "a\nb"))
    var runner = ProjectionRunner(from: state, [PositionalParagraphs(from: state)])
    try runner.apply(Edit(sequence: 2, action: replace(0, 0, "x\n"), transaction: 1))
    let model = try #require(runner[PositionalParagraphs.self])
    #expect(model.ids.map(\.description) == ["0.0", "2.0", "1.0"])
  }

  /// A callback without its identifier.
  private func place(_ callback: ParagraphCallback) -> [Int] {
    switch callback {
    case .willDelete(let index, let descriptor): [0, index] + bounds(descriptor)
    case .didEdit(let index, let descriptor): [1, index] + bounds(descriptor)
    case .didAdd(let index, let descriptor): [2, index] + bounds(descriptor)
    case .shouldSetStyle(let index, let descriptor): [3, index] + bounds(descriptor)
    }
  }

  private func bounds(_ descriptor: ParagraphDescriptor) -> [Int] {
    [descriptor.range.location, descriptor.range.length]
  }

  @Test func `a large deletion removes all after the anchor`() throws {
    let count = 20_000
    let line = UTF16Text("line\n").units
    let text = UTF16Text(units: (0..<count).flatMap { _ in line })
    var runner = ProjectionRunner([PositionalParagraphs()])
    try runner.apply(Edit(sequence: 1, action: replace(0, 0, text)))
    var model = try #require(runner[PositionalParagraphs.self])
    #expect(model.callbacks(in: runner.state).count == count + 3)
    try runner.apply(Edit(sequence: 2, action: replace(7, text.count - 7, "")))
    model = try #require(runner[PositionalParagraphs.self])
    #expect(model.ids.map(\.description) == ["0.0", "1.0"])
    #expect(model.callbacks(in: runner.state).count == count)
  }
}

extension Edit {
  fileprivate var opensTransaction: Bool { transaction == sequence }
}

extension SplitMix64 {
  /// As `action(in:)`; without CR where that is asked for.
  fileprivate mutating func action(in length: Int, withoutCR: Bool) throws -> EditAction {
    while true {
      let action = try self.action(in: length)
      let hasCR = action.replacement?.units.contains(0x0D) ?? false
      if !withoutCR || !hasCR { return action }
    }
  }
}
