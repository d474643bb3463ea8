import EditModel
import Projections
import TestSupport
import Testing
import TextState

/// What a paragraph says, and how each unit looks.
private struct Content: Equatable {
  var units: [UInt16]
  var attributes: [AttributeSet]
}

/// The life of a paragraph as seen by comparing whole versions.
private struct SlowModel: Equatable {
  var born: SequenceNumber
  var lastEdited: SequenceNumber
  var editCount: Int
  var authors: [String]
  var died: SequenceNumber?
  var lastText: [UInt16]?

  mutating func edit(_ edit: Edit) {
    (lastEdited, editCount) = (edit.sequence, editCount + 1)
    if let author = edit.author, !authors.contains(author) { authors.append(author) }
  }
}

/// Keeps the whole text of each paragraph at each version, and compares.
private struct SlowModels {
  var models: [ParagraphID: SlowModel] = [:]
  var dead: [ParagraphID] = []
  private var contents: [(id: ParagraphID, content: Content)] = []

  init(_ state: TextState) {
    contents = Self.contents(of: state)
    for (id, _) in contents {
      models[id] = SlowModel(born: 0, lastEdited: 0, editCount: 0, authors: [])
    }
  }

  mutating func step(_ edit: Edit, to state: TextState) {
    let new = Self.contents(of: state)
    let before = Dictionary(uniqueKeysWithValues: contents.map { ($0.id, $0.content) })
    let after = Dictionary(uniqueKeysWithValues: new.map { ($0.id, $0.content) })
    for (id, content) in contents where after[id] == nil {
      models[id]?.died = edit.sequence
      models[id]?.lastText = content.units
      dead.append(id)
    }
    for (id, content) in new where before[id] != content {
      if before[id] == nil {
        models[id] = SlowModel(
          born: edit.sequence, lastEdited: edit.sequence, editCount: 0, authors: [])
      }
      models[id]?.edit(edit)
    }
    contents = new
  }

  private static func contents(of state: TextState) -> [(id: ParagraphID, content: Content)] {
    let all = Snapshot(state)
    return state.paragraphs.map { paragraph in
      let bounds = paragraph.range.bounds
      return (
        paragraph.id,
        Content(units: Array(all.units[bounds]), attributes: Array(all.attributes[bounds]))
      )
    }
  }
}

extension SlowModel {
  init(_ model: ParagraphModel) {
    born = model.born.sequence
    (lastEdited, editCount) = (model.lastEdited.sequence, model.editCount)
    (authors, died) = (model.authors, model.death?.stamp.sequence)
    lastText = model.death?.lastText.units
  }
}

@Suite struct ParagraphModelsTests {
  /// Random editing; after each step every model agrees with the slow one.
  @Test(arguments: UInt64(0)..<24)
  func modelsAgreeWithWholeTexts(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var runner = ProjectionRunner([ParagraphModels()])
    var slow = SlowModels(runner.state)
    for sequence in 1...SequenceNumber(80) {
      let edit = Edit(
        sequence: sequence, action: try random.action(in: runner.state.length),
        author: random.pick([nil, "ann", "bob", "cy"]), time: seconds(Double(sequence)))
      try runner.apply(edit)
      slow.step(edit, to: runner.state)

      let models = try #require(runner[ParagraphModels.self])
      #expect(models.count == slow.models.count)
      for (id, expected) in slow.models {
        #expect(models[id].map { SlowModel($0) } == expected, "\(id) after \(sequence)")
      }
      #expect(models.dead.map(\.id) == slow.dead)
      #expect(models.living(in: runner.state).map(\.id) == runner.state.paragraphs.map(\.id))
      try checkLineage(of: models, slow.models.keys.sorted())
    }
  }

  /// Parents list exactly their children, and heirs exactly the paragraphs that they absorbed.
  private func checkLineage(of models: ParagraphModels, _ ids: [ParagraphID]) throws {
    let all = try ids.map { try #require(models[$0]) }
    for model in all {
      #expect(model.children == all.filter { $0.splitFrom == model.id }.map(\.id))
      #expect(Set(model.absorbed) == Set(all.filter { $0.mergedInto == model.id }.map(\.id)))
      #expect(model.absorbed.count == Set(model.absorbed).count)
    }
  }

  @Test func aDeathTellsWhenByWhomAndWhat() throws {
    var runner = ProjectionRunner([ParagraphModels()])
    try runner.apply(Edit(sequence: 1, action: replace(0, 0, "one\ntwo\r\nthree"), author: "ann"))
    try runner.apply(
      Edit(
        sequence: 2, action: replace(4, 5, ""), origin: .removal, author: "bob",
        time: seconds(9)))

    let models = try #require(runner[ParagraphModels.self])
    let dead = try #require(models.dead.first)
    #expect(models.dead.count == 1)
    #expect(dead.id == ParagraphID(sequence: 1, ordinal: 0))
    #expect(dead.authors == ["ann"])
    let death = try #require(dead.death)
    #expect(death.lastText == "two\r\n")
    #expect((death.index, death.mergedInto) == (1, nil))
    #expect((death.stamp.sequence, death.stamp.author) == (2, "bob"))
    #expect((death.stamp.time, death.stamp.origin) == (seconds(9), .removal))
  }

  @Test func startingInTheMiddleKnowsBirthsByIdentifierOnly() throws {
    var state = TextState()
    try state.apply(replace(0, 0, "one\ntwo"))
    var runner = ProjectionRunner(from: state, [ParagraphModels(from: state)])
    try runner.apply(Edit(sequence: 2, action: replace(0, 1, "O"), author: "ann"))

    let living = try #require(runner[ParagraphModels.self]).living(in: runner.state)
    #expect(living.map(\.born.sequence) == [0, 1])
    #expect(living.map(\.born.time) == [nil, nil])
    #expect(living.map(\.editCount) == [1, 0])
  }
}
