import ArgumentParser
import Glibc
import Synchronization
import TestSupport

/// Many clients of the real daemon, and what they cost it and each other.
struct CrowdCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "crowd",
    abstract: "Runs the real daemon with clients that are many, slow, deaf or fast.",
    discussion: """
      Case 0: 500 clients and a log of 100 MB under a cap of 256 MiB of memory; then with so few \
      addresses that the daemon may end, but nothing acknowledged may be lost. Case 1: 500 \
      connections that send a byte now and then, and 500 subscribers that read nothing, for four \
      times as long; an honest client may wait twice as long as without them, and each subscriber \
      goes on where it was. Case 2: a client at full speed; another may wait 5 ms longer than a flush. Case 3: \
      one edit of 20 million line breaks, then each question four times at once about a million lines: \
      the peak of memory.
      """)

  @OptionGroup var options: RunOptions
  @OptionGroup var daemon: DaemonOptionGroup

  @Option(help: "How long each part of a case takes, in seconds.")
  var seconds = 4.0

  func validate() throws {
    guard seconds > 0, seconds < 1e6 else { throw ValidationError("--seconds is above 0") }
  }

  func run() throws {
    signal(SIGPIPE, SIG_IGN)
    try FileLimit.raise(to: 1_500)
    let campaign = Campaign("crowd", options, defaultCount: 4)
    let notes = Mutex<[String]>([])
    try campaign.run(
      threads: 1,
      { [program = daemon.daemon, seconds] seed, worker in
        let cases: [() throws -> String] = [
          { try "\(MemoryCap(program: program, seed: seed, seconds: seconds).run())" },
          { try "\(SlowAndDeaf(program: program, seed: seed, seconds: 4 * seconds).run())" },
          { try "\(Fairness(program: program, seed: seed, seconds: 2 * seconds).run())" },
          { try "\(WorstMemory(program: program).run())" },
        ]
        for number in cases.indices {
          guard worker.wants(number) else { continue }
          worker.begin(number)
          do {
            let note = try cases[number]()
            notes.withLock { $0.append(note) }
          } catch let failure as StateCheck.Failure {
            worker.found(failure.what, failure.detail)
          }
          worker.end()
          campaign.note()
        }
      },
      atEnd: { for note in notes.withLock({ $0 }) { campaign.add(note) } })
  }
}
