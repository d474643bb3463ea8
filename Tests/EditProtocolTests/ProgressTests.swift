import EditJSON
import EditModel
import EditProtocol
import Testing

/// Units of steps, tokens and progress as they are written.
@Suite struct ProgressTests {
  @Test(arguments: [
    ("edit", StepUnit.edit), ("undo", .undoStep), ("paragraph", .paragraphChange),
    ("save", .save), ("session", .session), ("10s", .time(nanoseconds: 10_000_000_000)),
    ("5400s", .time(nanoseconds: 5_400_000_000_000)),
  ])
  func unitsHaveNames(name: String, unit: StepUnit) {
    #expect(StepUnit(name) == unit)
    #expect(unit.name == name)
  }

  @Test func durationsAreReadAsInPoints() {
    #expect(StepUnit("1h30m") == .time(nanoseconds: 5_400_000_000_000))
    #expect(StepUnit("999999999999999999w") == .time(nanoseconds: .max))
    for text in ["", "0s", "10", "s", "-1s", "edits", "Undo", "1y", "1.5h", "undo:1"] {
      #expect(StepUnit(text) == nil, "\(text)")
    }
    #expect(StepUnit.time(nanoseconds: 1).name == "1s")
    #expect(StepUnit(StepUnit.time(nanoseconds: .max).name) == .time(nanoseconds: .max))
  }

  @Test func tokensAreBounded() throws {
    #expect(try ProgressToken(params: .null) == nil)
    #expect(try ProgressToken(params: ["document": "a"]) == nil)
    #expect(try ProgressToken(params: ["workDoneToken": .null]) == nil)
    #expect(try ProgressToken(params: ["workDoneToken": 7])?.json == 7)
    #expect(try ProgressToken(params: ["workDoneToken": "t"])?.json == "t")
    let long = String(repeating: "x", count: ProgressToken.sizeMax)
    for bad: JSON in [true, 1.5, ["a"], ["a": 1], JSON(long)] {
      #expect(throws: ProtocolError.self) { try ProgressToken(params: ["workDoneToken": bad]) }
    }
    let token = ProgressToken(3)
    #expect(token.added(to: .null) == ["workDoneToken": 3])
    #expect(token.added(to: ["a": 1]) == ["a": 1, "workDoneToken": 3])
  }

  @Test(arguments: ProgressParams.Kind.allCases)
  func progressRoundTrips(kind: ProgressParams.Kind) throws {
    let progress = ProgressParams(
      ProgressToken(3), kind, percentage: kind == .end ? nil : 40)
    guard case .notification(let method, let params) = progress.message else {
      Issue.record("no notification")
      return
    }
    #expect(method == "$/progress")
    #expect(ProgressParams(json: params) == progress)
    for bad: JSON in [.null, [:], ["token": 3], ["token": [], "value": ["kind": "end"]]] {
      #expect(ProgressParams(json: bad) == nil)
    }
  }
}
