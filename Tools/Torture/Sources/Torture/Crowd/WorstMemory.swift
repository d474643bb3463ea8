import EditJSON
import EditModel
import EditProtocol
import Synchronization
import TestSupport

/// The memory of edits and questions on the texts on which they take most.
struct WorstMemory {
  let program: String

  /// The line breaks of the edit, and the lines of the text that is asked about.
  private static let (breakCount, lineCount) = (20_000_000, 1_000_000)
  /// The memory allowed for the edit, and for four equal questions at once beyond what the daemon had
  /// before, in bytes.
  private static let (editMax, questionMax) = (512 << 20, 512 << 20)

  /// Questions about the whole of a document.
  private static let questions: [(method: String, params: JSONObject)] = [
    ("state", [:]), ("paragraphs", [:]), ("paragraphs", ["life": true, "lineage": true]),
    ("inspect", [:]), ("outline", [:]), ("blame", [:]), ("log", [:]), ("diff", ["from": "0"]),
    ("undo", ["list": true]), ("activity", [:]), ("trace", [:]), ("grep", ["pattern": "a"]),
    ("export", ["format": "markdown"]),
  ]

  /// What was measured.
  struct Figures: CustomStringConvertible {
    var edit = 0
    var question = (name: "none", bytes: 0)

    var description: String {
      "worst texts: \(edit >> 20) MiB for 20 million line breaks, at most \(question.bytes >> 20) MiB "
        + "for four questions about a million lines (\(question.name))"
    }
  }

  /// - Throws: `StateCheck.Failure` if the daemon takes more.
  func run() throws -> Figures {
    var figures = Figures()
    figures.edit = try peak(of: Self.breakCount, String(repeating: "\n", count: Self.breakCount))
    try check("an edit of \(Self.breakCount) line breaks", figures.edit, Self.editMax)
    for question in Self.questions {
      let name = "\(question.method) \(JSON.object(question.params))"
      let text = String(repeating: "a\n", count: Self.lineCount)
      let bytes = try peak(of: Self.lineCount, text, then: question)
      if bytes > figures.question.bytes { figures.question = (name, bytes) }
      try check("four times \(name)", bytes, Self.questionMax)
    }
    return figures
  }

  private func check(_ what: String, _ bytes: Int, _ bytesMax: Int) throws {
    guard bytes <= bytesMax else {
      throw StateCheck.Failure(
        what: "\(what) takes too much memory",
        detail: "\(bytes >> 20) MiB, and \(bytesMax >> 20) MiB are allowed")
    }
  }

  /// The peak of a new daemon that gets a text, beyond what it had at first; or of a question beyond what
  /// it had with the text.
  private func peak(
    of lineCount: Int, _ text: String, then question: (method: String, params: JSONObject)? = nil
  ) throws -> Int {
    let folder = TemporaryFolder(in: scratchPlace)
    let daemon = DaemonProcess(program, store: folder.path("store"), folder: folder.path)
    try daemon.start()
    defer { daemon.stop() }
    try HonestClient.waitUntilThere(daemon.socket)
    guard let session = SessionID("worst"), let document = DocumentID("worst") else { return 0 }
    let client = try HonestClient(daemon.socket)
    _ = try client.append("x", to: document, session, 1)
    var before = try ProcessFigures(of: daemon).resident
    _ = try client.append(text, to: document, session, 2)
    if let question {
      before = try ProcessFigures(of: daemon).peak
      try ask(question, daemon.socket)
    }
    return try ProcessFigures(of: daemon).peak - before
  }

  /// Asks four times at once.
  private func ask(
    _ question: (method: String, params: JSONObject), _ socket: String
  ) throws {
    var params = question.params
    params["document"] = "worst"
    let failures = Mutex<[String]>([])
    Threads(count: 4) { [params, method = question.method] _ in
      do { _ = try HonestClient(socket).askAway("editlog/\(method)", .object(params)) } catch {
        failures.withLock { $0.append("\(error)") }
      }
    }.wait {}
    if let failure = failures.withLock({ $0.first }) {
      throw StateCheck.Failure(what: "\(question.method) is not answered", detail: failure)
    }
  }
}
