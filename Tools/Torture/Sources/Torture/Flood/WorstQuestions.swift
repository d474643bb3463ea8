import EditJSON
import EditModel
import EditProtocol
import Glibc
import Synchronization
import TestSupport

/// Each question about the text on which it costs most, beside honest clients; and subscribers that do not
/// read.
struct WorstQuestions {
  let program: String
  let seed: UInt64

  /// The edits, or marks, of a document.
  private static let count = 20_000
  /// Seconds for which hostile clients ask.
  private static let seconds = 6.0
  /// Seconds in which one question alone must be answered. One whose cost is the square of the history takes
  /// minutes.
  private static let aloneMax = 15.0
  /// Seconds that a question and an edit of an honest client may take at the 99th percentile.
  private static let (questionMax, editMax) = (0.1, 0.05)

  /// What was measured.
  struct Figures: CustomStringConvertible {
    /// The question that took the longest alone.
    var slowest = (name: "none", seconds: 0.0)
    var (question, edit, delivery, delay) = (0.0, 0.0, 0.0, 0.0)

    mutating func takeWorst(of other: Self) {
      if other.slowest.seconds > slowest.seconds { slowest = other.slowest }
      (question, edit) = (max(question, other.question), max(edit, other.edit))
      (delivery, delay) = (max(delivery, other.delivery), max(delay, other.delay))
    }

    var description: String {
      "beside the worst questions p99 \(rounded(question * 1e3)) ms for a question, "
        + "\(rounded(edit * 1e3)) ms for an edit, \(rounded(delivery * 1e3)) ms for a delivery "
        + "(\(rounded(delay * 1e3)) ms for a thread), alone at most \(rounded(slowest.seconds)) s for "
        + slowest.name
    }
  }

  /// A question, and its document.
  private struct Question {
    var method: String
    var params: JSON
    init(_ method: String, _ document: String, _ more: JSONObject = [:]) {
      self.method = "editlog/\(method)"
      var params = more
      params["document"] = JSON(document)
      self.params = .object(params)
    }
  }

  private static let documents = ["line", "marks", "authors", "lines", "undone"]

  /// Every question about the history of each document, and those about one.
  private static let questions: [Question] =
    documents.flatMap { document in
      [
        Question("grep", document, ["pattern": "w(1|2)+3"]),
        Question("grep", document, ["pattern": "a.*b|x", "only": "living"]),
        Question("paragraphs", document, ["life": true, "lineage": true, "dead": true]),
        Question("blame", document), Question("activity", document), Question("agents", document),
        Question("log", document, ["newestFirst": true, "limit": 10_000]),
        Question("outline", document), Question("undo", document, ["list": true]),
        Question("paragraphHistory", document, ["lines": [1, 1]]),
        Question("diff", document, ["from": "1"]),
        Question("paragraphDiff", document, ["from": "1"]),
        Question("marks", document), Question("trace", document),
      ]
    } + [
      Question("version", "marks", ["at": "mark:label 1"]),
      Question("version", "marks", ["at": "mark:no such label"]),
    ]

  /// - Throws: `StateCheck.Failure` if a question takes too long, or honest clients wait.
  func run() throws -> Figures {
    let folder = TemporaryFolder(in: scratchPlace)
    let daemon = DaemonProcess(program, store: folder.path("store"), folder: folder.path)
    try daemon.start()
    try HonestClient.waitUntilThere(daemon.socket)
    try fill(daemon.socket)
    var figures = Figures()
    try askAlone(daemon.socket, &figures)
    let yardstick = Yardstick()
    defer { yardstick.stop() }
    let isStopping = Flag()
    let hostile = attack(daemon.socket, until: isStopping)
    defer { isStopping.raise() }
    let deaf = try deafSubscribers(daemon.socket)
    sleep(seconds: 1)
    _ = yardstick.takeDelay()
    try measure(daemon.socket, &figures)
    figures.delay = yardstick.takeDelay()
    withExtendedLifetime(deaf) {}
    isStopping.raise()
    hostile.wait {}
    try waitForRest(daemon)
    try check(figures)
    return figures
  }

  // MARK: Documents

  private func fill(_ socket: String) throws {
    let client = try HonestClient(socket)
    for document in Self.documents {
      let entries = JSON.array(Self.entries(of: document))
      let answer = try client.ask(
        "editlog/import", ["document": JSON(document), "entries": entries])
      guard answer["error"] == nil else {
        throw StateCheck.Failure(
          what: "a document cannot be made", detail: "\(document): \(answer)")
      }
    }
  }

  private static func entries(of document: String) -> [JSON] {
    let numbers = 1...count
    switch document {
    case "line": return numbers.map { edit($0, 0, 0, "w\($0) ") }
    case "marks":
      return [edit(1, 0, 0, "a")]
        + numbers.map {
          [
            "v": 1, "event": "mark", "after": 1, "label": JSON("label \($0)"), "at": 1,
            "time": time,
          ]
        }
    case "authors":
      return numbers.map {
        edit($0, $0 - 1, 0, "a", ["author": JSON("author \($0)")])
      }
    case "lines":
      // Lines are divided and joined.
      return [edit(1, 0, 0, String(repeating: "words\n", count: 100))]
        + numbers.dropFirst().map {
          $0.isMultiple(of: 2) ? edit($0, 5, 1, "") : edit($0, 5, 0, "\n")
        }
    default:
      // Every second edit is taken back.
      return numbers.map {
        switch $0 % 3 {
        case 1: return edit($0, 0, 0, "x")
        case 2: return edit($0, 0, 0, "y\n")
        default: return edit($0, 0, 2, "", ["origin": "undo"])
        }
      }
    }
  }

  private static let time: JSON = "2026-11-20T15:04:05Z"

  private static func edit(
    _ number: Int, _ location: Int, _ length: Int, _ text: String, _ more: JSONObject = [:]
  ) -> JSON {
    var edit: JSONObject = [
      "v": 1, "sequence": JSON(number), "actions": ["characters"], "location": JSON(location),
      "length": JSON(length), "changeInLength": JSON(text.utf16.count - length),
      "text": JSON(text), "origin": "program", "transaction": JSON(number), "time": time,
    ]
    for member in more.members { edit[member.name] = member.value }
    return .object(edit)
  }

  // MARK: Measuring

  private func askAlone(_ socket: String, _ figures: inout Figures) throws {
    let client = try HonestClient(socket)
    for question in Self.questions {
      let start = nanoseconds()
      let answer = try client.ask(question.method, question.params)
      let time = Double(nanoseconds() - start) / 1e9
      let name = "\(question.method) \(question.params)"
      if time > figures.slowest.seconds { figures.slowest = (name, time) }
      // One may be refused, if it says so soon.
      if answer["error"]?["code"] == -32601 || answer["error"]?["code"] == -32602 {
        throw StateCheck.Failure(what: "a question is not understood", detail: "\(name): \(answer)")
      }
      guard time <= Self.aloneMax else {
        throw StateCheck.Failure(
          what: "a question takes too long", detail: "\(rounded(time)) s for \(name)")
      }
    }
  }

  /// Clients that ask without end.
  private func attack(_ socket: String, until isStopping: Flag) -> Threads {
    Threads(count: 12) { [seed] number in
      var random = SplitMix64(seed: seed &* 31 &+ UInt64(number))
      while !isStopping.isRaised {
        // It leaves after a second without an answer.
        guard let client = try? HonestClient(socket, patience: 1) else { continue }
        // Two at a time, and the connection ends while they are answered now and then.
        for _ in 0..<2 {
          let question = Self.questions[Int.random(in: Self.questions.indices, using: &random)]
          try? client.begin(question.method, question.params)
        }
        if Int.random(in: 0..<4, using: &random) > 0 {
          let question = Self.questions[Int.random(in: Self.questions.indices, using: &random)]
          _ = try? client.ask(question.method, question.params)
        }
      }
    }
  }

  /// Connections with many subscriptions that read nothing.
  private func deafSubscribers(_ socket: String) throws -> [HonestClient] {
    try (0..<30).map { _ in
      let client = try HonestClient(socket)
      for _ in 0..<64 { try client.subscribe(to: "line", after: 0, credit: 1_000_000) }
      return client
    }
  }

  /// How long an honest client waits for short questions, edits and deliveries.
  private func measure(_ socket: String, _ figures: inout Figures) throws {
    guard let session = SessionID("honest"), let document = DocumentID("honest") else { return }
    let (client, follower) = (try HonestClient(socket), try HonestClient(socket))
    _ = try client.append("x", to: document, session, 1)
    try follower.subscribe(to: "honest", after: 1, credit: 1_000_000)
    var (questions, edits, deliveries) = ([Double](), [Double](), [Double]())
    var counter: UInt64 = 1
    let end = nanoseconds() + UInt64(Self.seconds * 1e9)
    while nanoseconds() < end {
      counter += 1
      var start = nanoseconds()
      func passed() -> Double {
        defer { start = nanoseconds() }
        return Double(nanoseconds() - start) / 1e9
      }
      _ = try client.append("x", to: document, session, counter)
      edits.append(passed())
      _ = try follower.delivery()
      deliveries.append(passed())
      _ = try client.ask("editlog/state", ["document": "line", "limit": 10])
      questions.append(passed())
      usleep(5_000)
    }
    func latest(_ times: [Double]) -> Double { times.sorted()[times.count * 99 / 100] }
    (figures.question, figures.edit) = (latest(questions), latest(edits))
    figures.delivery = latest(deliveries)
  }

  /// What hostile clients asked ends with their connections.
  private func waitForRest(_ daemon: DaemonProcess) throws {
    var share = 0.0
    for _ in 0..<20 {
      let start = try ProcessFigures(of: daemon)
      let time = nanoseconds()
      sleep(seconds: 0.25)
      share =
        (try ProcessFigures(of: daemon).cpuSeconds - start.cpuSeconds)
        / (Double(nanoseconds() - time) / 1e9)
      if share < 0.2 { return }
    }
    throw StateCheck.Failure(
      what: "questions outlive their connections",
      detail: "5 s later \(rounded(share * 100)) % of a processor are used")
  }

  private func check(_ figures: Figures) throws {
    func bound(_ allowed: Double) -> Double { max(allowed, figures.delay * FloodPlan.delayFactor) }
    guard figures.question <= bound(Self.questionMax), figures.edit <= bound(Self.editMax),
      figures.delivery <= bound(Self.questionMax)
    else { throw StateCheck.Failure(what: "honest clients wait", detail: "\(figures)") }
  }

  /// Tells threads to end.
  private final class Flag: Sendable {
    private let value = Atomic<Bool>(false)
    var isRaised: Bool { value.load(ordering: .relaxed) }
    func raise() { value.store(true, ordering: .relaxed) }
  }
}
