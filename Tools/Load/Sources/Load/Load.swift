import ArgumentParser

/// The program: sends edits to a daemon and measures how long their acknowledgements take.
@main
struct Load: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "load",
    abstract: "Sends edits to a daemon, and measures the time to their acknowledgements.",
    discussion: """
      Each connection appends to a document of its own. Without --rate, each connection keeps \
      --in-flight requests unanswered (a closed loop). With --rate, requests are due at fixed \
      times, and the time of each is measured from when it was due, even if it could only be sent \
      later (an open loop).

      With --json, one JSON object is printed at the end: edits and edits_per_second, and \
      the times in microseconds: ack_p50_micros, p99, p999 and max.

      Exit status: 0 all edits were acknowledged; 64 wrong usage; 69 the daemon cannot be reached, \
      or refused an edit.
      """)

  @Option(help: ArgumentHelp("The daemon's socket.", valueName: "path"))
  var socket: String
  @Option(help: "The dialect of the socket: json or native.")
  var dialect = Dialect.json
  @Option(help: "How many connections send, each on a thread of its own.")
  var connections = 1
  @Option(help: "How many requests of a connection wait for their acknowledgements at a time.")
  var inFlight = 256
  @Option(help: "How many edits a request has.")
  var batch = 1
  @Option(help: "How many requests are due in a second, on all connections together.")
  var rate: Int?
  @Option(help: "For how many seconds requests are sent.")
  var seconds = 5
  @Flag(help: "Print one JSON object.")
  var json = false

  func validate() throws {
    guard (1...512).contains(connections) else {
      throw ValidationError("--connections must be 1 to 512")
    }
    guard (1...1 << 20).contains(inFlight) else {
      throw ValidationError("--in-flight must be 1 to 1048576")
    }
    guard (1...4_096).contains(batch) else { throw ValidationError("--batch must be 1 to 4096") }
    guard (1...10_000_000).contains(rate ?? 1) else {
      throw ValidationError("--rate must be 1 to 10000000")
    }
    guard (1...86_400).contains(seconds) else {
      throw ValidationError("--seconds must be 1 to 86400")
    }
  }

  func run() throws {
    let plan = SendingPlan(
      inFlight: inFlight, batch: batch, nanoseconds: UInt64(seconds) * 1_000_000_000,
      interval: rate.map { 1e9 * Double(connections) / Double($0) })
    let outcome: Outcome
    do {
      outcome = try Outcome(connections, plan, to: socket, in: dialect)
    } catch let failure as Failure { throw failure.exit }
    print(json ? outcome.json : outcome.text)
  }
}

extension Dialect: ExpressibleByArgument {}
