import EditLogCommands
import EditModel
import EditProtocol
import EditQueries
import Replay

extension Figure {
  /// The questions, asked of a long history of which nothing was folded before.
  static let cold = Figure(
    name: "cold",
    summary:
      "the first answer to each question about a tenth of --largest edits, a real history again and "
      + "again, of which nothing is kept: wall clock; beside the fold of the state alone"
  ) { session in
    guard let trace = session.traces.max(by: { $0.edits.count < $1.edits.count }) else { return }
    let (store, count) = (try BenchStore(), session.largest / 10)
    try store.repeating(trace, count: count, sealCount: 1 << 20)
    let document = HistoryReference(store.document)
    func contender(_ name: String, _ ask: @escaping (QueryEngine) throws -> Void) -> Contender {
      Contender(name) {
        let engine = QueryEngine(try StoreFiles(at: store.path))
        let before = Clock.now
        try ask(engine)
        return Double(Clock.now - before)
      }
    }
    func search(_ pattern: String, isFixed: Bool = false) -> (QueryEngine) throws -> Void {
      { _ = try $0.ask(GrepRequest(document, pattern, isFixed: isFixed)) }
    }
    let questions = [
      contender("state") { _ in _ = try Replay(try store.history()).project([]) },
      contender("blame of a line") {
        _ = try $0.ask(BlameRequest(document, BlamePart(lines: 1...1)))
      },
      contender("blame of 1,000 pieces") { _ = try $0.ask(BlameRequest(document)) },
      contender("undo list") { _ = try $0.ask(UndoStepsRequest(document)) },
      contender("agents") { _ = try $0.ask(AgentsRequest(document)) },
      contender("activity") { _ = try $0.ask(ActivityRequest(document)) },
      contender("grep -F", search("the", isFixed: true)),
      contender("grep", search("th[ae]")),
      contender("grep .*", search("q.*z")),
    ]
    let samples = try race(questions, session.effort)
    let name = "\(trace.name), \(Numbers.grouped(count)) edits"
    try session.show(
      samples.map { sample in
        ReportLine(
          "cold/\(sample.name)", name, sample.median / 1e6, "ms",
          baseline: sample.name == "state" ? nil : ("state", (samples.first?.median ?? 0) / 1e6),
          samples: sample.values.count)
      })
  }
}
