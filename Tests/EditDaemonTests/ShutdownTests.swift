import DaemonTestSupport
import EditClient
import EditDaemon
import EditJSON
import EditLog
import EditModel
import EditProtocol
import EditQueries
import Glibc
import Logging
import Subprocess
import Testing
import TestSupport

/// How a daemon ends, well or not.
@Suite(.timeLimit(.minutes(10))) struct ShutdownTests {
  /// A clean stop seals every document, logs no error, and leaves a store that opens at once.
  @Test func aCleanStopSealsEverything() async throws {
    let folder = TemporaryFolder()
    for round in 1...3 {
      try await withClient(in: folder) { client, _ in
        for name in ["a", "b", "c"] {
          _ = try await client.append(name, put("\(round)"), put("\n"))
          _ = try await client.call("editlog/mark", ["document": JSON(name), "label": "m"])
        }
      }
      let store = try Store.open(at: RunningDaemon.store(in: folder))
      for summary in try store.documents() {
        #expect(summary.unsealedSize == 0 && summary.lastSequence == UInt64(round * 2))
      }
      #expect(store.damages.isEmpty)
    }
  }

  /// Requests before the stop are answered; later ones are refused with an error that may pass.
  @Test func requestsAroundTheStop() async throws {
    let folder = TemporaryFolder()
    let daemon = try await RunningDaemon(in: folder)
    let client = try await daemon.connect()
    let answers = await withTaskGroup(of: SequenceNumber?.self) { group in
      for _ in 0..<200 {
        group.addTask { try? await client.append("a", put("x")).sequence }
      }
      group.addTask {
        try? await daemon.stop()
        return nil
      }
      return await group.reduce(into: []) { all, answer in answer.map { all.append($0) } }
    }
    #expect(daemon.log.complaints == [])
    let store = try StoreFiles(at: RunningDaemon.store(in: folder))
    let last = try store.documents().first?.lastSequence ?? 0
    #expect(Set(answers).count == answers.count)
    #expect(answers.allSatisfy { $0 <= last })
    let late = await refusal { try await client.append("a", put("late")) }
    #expect(late?.code.isRetryable == true)
    await client.close()
  }
}

/// The real program, as its service manager runs it.
@Suite(.timeLimit(.minutes(10))) struct DaemonProcessTests {
  @Test func sigtermEndsItCleanly() async throws {
    let folder = TemporaryFolder()
    let child = try ChildDaemon(in: folder)
    let (status, log) = try await child.run { process in
      let client = try await EditLogClient.connect(to: RunningDaemon.socket(in: folder))
      for _ in 0..<5 { _ = try await client.append("a", put("x")) }
      await client.close()
      process(SIGTERM)
    }
    #expect(status == .exited(0))
    #expect(!log.contains("error") && !log.contains("warning"), "\(log)")
    let summary = try Store.open(at: RunningDaemon.store(in: folder)).documents().first
    #expect(summary?.lastSequence == 5 && summary?.unsealedSize == 0)
  }

  /// Idle for longer than it takes to confirm, and stopped in the middle of work: both are clean.
  @Test func sigtermUnderLoadEndsItCleanly() async throws {
    let folder = TemporaryFolder()
    let child = try ChildDaemon(in: folder)
    let counted = LastSequence()
    let (status, log) = try await child.run { process in
      let client = try await EditLogClient.connect(to: RunningDaemon.socket(in: folder))
      await withTaskGroup(of: Void.self) { group in
        for index in 0..<300 {
          group.addTask {
            if let result = try? await client.append("a", put("x")) {
              await counted.note(result.sequence)
            }
          }
          if index == 150 { group.addTask { process(SIGTERM) } }
        }
      }
      await client.close()
    }
    #expect(status == .exited(0))
    #expect(!log.contains("error") && !log.contains("warning"), "\(log)")
    let last = try Store.open(at: RunningDaemon.store(in: folder)).documents().first?.lastSequence
    #expect(await counted.last <= last ?? 0)
  }

  /// The daemon is killed between two answers, many times: acknowledged edits are there.
  @Test func killedItLosesNothing() async throws {
    let folder = TemporaryFolder()
    let acknowledged = LastSequence()
    for round in 1...3 {
      let child = try ChildDaemon(in: folder)
      let (status, _) = try await child.run { process in
        let client = try await EditLogClient.connect(to: RunningDaemon.socket(in: folder))
        await withTaskGroup(of: Void.self) { group in
          for index in 0..<100 {
            group.addTask {
              let count = UInt64(round * 100 + index)
              guard let ticket = try? ticket(count, of: "run\(count)"),
                let result = try? await client.append("a", put("x"), ticket: ticket)
              else { return }
              await acknowledged.note(result.sequence)
              if result.sequence % 100 == 40 { process(SIGKILL) }
            }
          }
        }
        process(SIGKILL)
        await client.close()
      }
      #expect(status == .signaled(SIGKILL))
    }
    try await withClient(in: folder) { client, _ in
      let text = try await client.text(of: "a")
      let edits = try await client.edits(of: "a")
      #expect(UInt64(edits.count) >= (await acknowledged.last))
      #expect(edits.map(\.sequence) == Array(1...UInt64(edits.count)))
      #expect(text == String(repeating: "x", count: edits.count))
      // A resend of any of them changes nothing.
      for edit in edits.suffix(5) {
        let again = try await client.append(
          "a", put("x"),
          ticket: RequestTicket(session: try #require(edit.session), counter: edit.counter))
        #expect(again.duplicate && again.sequence == edit.sequence)
      }
    }
  }

  @Test func aSecondOneEndsWithItsExitCode() async throws {
    let folder = TemporaryFolder()
    try await withDaemon(in: folder) { _ in
      let child = try ChildDaemon(in: folder)
      let (status, log) = try await child.run(untilReady: false) { _ in }
      #expect(status == .exited(73))
      #expect(log.contains("already listens"))
    }
  }
}

/// The highest sequence number that was acknowledged.
private actor LastSequence {
  private(set) var last: SequenceNumber = 0
  func note(_ sequence: SequenceNumber) { last = max(last, sequence) }
}
