import EditClient
import EditJSON
import EditModel
import EditProtocol
import Glibc
import NIOCore
import Synchronization
import TestSupport
import Testing

@Suite struct ResilientAppenderTests {
  private static var options: ResilientAppender.Options {
    var options = ResilientAppender.Options()
    (options.pauseMin, options.pauseMax) = (.milliseconds(1), .milliseconds(5))
    (options.windowCountMax, options.windowSizeMax) = (16, 2000)
    // On a busy machine other tests may have both cores for a minute.
    options.patience = .seconds(200)
    return options
  }

  /// Connections drop before requests are handled and between handling and answer, requests are
  /// refused for now; each is logged once, in order, and reported once, in order.
  @Test(arguments: UInt64(0)..<8)
  func nothingIsLostOrDoubled(seed: UInt64) async throws {
    let faults = FakeDaemon.Faults(dropBefore: 5, dropAfter: 5, overloaded: 5)
    try await withDaemon(seed: seed, faults) { daemon in
      let reports = Reports()
      let appender = try await ResilientAppender.connect(
        to: daemon.path, session: try #require(SessionID("s\(seed)")), options: Self.options,
        report: { reports.note($0, $1) })
      for index in 0..<200 {
        #expect(try await appender.append(.inserting("\(index)")) == UInt64(index + 1))
        if index % 50 == 49 {
          try await appender.flush()
          #expect(daemon.handled.count == index + 1)
        }
      }
      await appender.close()
      #expect(daemon.handled.map(\.counter) == Array(1...200))
      #expect(daemon.handled.map(\.params) == (0..<200).map { JSON("\($0)") })
      #expect(reports.counters == Array(1...200))
      #expect(reports.sequences == Array(1...200))
      #expect(daemon.connectionCount > 1)
    }
  }

  /// Texts that are longer than the window and the grant are sent whole, and again after a lost
  /// connection.
  @Test(arguments: UInt64(0)..<4)
  func longTextsAreSentAgain(seed: UInt64) async throws {
    let faults = FakeDaemon.Faults(dropBefore: 20, dropAfter: 20, overloaded: 10)
    try await withDaemon(seed: seed, faults) { daemon in
      let appender = try await ResilientAppender.connect(
        to: daemon.path, session: try #require(SessionID("s")), options: Self.options)
      var texts: [String] = []
      for index in 0..<20 {
        let text = String(repeating: "\(index) \"ä\"\n", count: [1, 4_000, 20_000][index % 3])
        texts.append(text)
        try await appender.append(.inserting(text))
      }
      try await appender.flush()
      await appender.close()
      #expect(daemon.handled.map(\.params) == texts.map { JSON($0) })
    }
  }

  /// The daemon is killed and started again, again and again, while requests go on.
  @Test(arguments: UInt64(0)..<4)
  func aKilledDaemonLosesNothing(seed: UInt64) async throws {
    try await withDaemon(seed: seed) { daemon in
      let appender = try await ResilientAppender.connect(
        to: daemon.path, session: try #require(SessionID("s")), options: Self.options)
      let writer = Task {
        var count: UInt64 = 0
        while !Task.isCancelled || count < 300 {
          count = try await appender.append(.inserting("x"))
        }
        return count
      }
      var random = SplitMix64(seed: seed)
      for round in 0..<5 {
        // Each kill hits a connection.
        await eventually { daemon.connectionCount > round }
        try await Task.sleep(for: .milliseconds(Int.random(in: 1...10, using: &random)))
        await daemon.kill()
        try await daemon.start()
      }
      writer.cancel()
      let count = try await writer.value
      try await appender.flush()
      await appender.close()
      #expect(daemon.handled.map(\.counter) == Array(1...count))
    }
  }

  @Test func aNewRunContinuesAfterTheLastCounter() async throws {
    try await withDaemon { daemon in
      let session = try #require(SessionID("s"))
      for first in [UInt64(1), 4] {
        let appender = try await ResilientAppender.connect(
          to: daemon.path, session: session, firstCounter: first, options: Self.options)
        for _ in 0..<3 { try await appender.append(.inserting("x")) }
        try await appender.flush()
        await appender.close()
      }
      #expect(daemon.handled.map(\.counter) == Array(1...6))
    }
  }

  /// A refusal for good is reported at its place, ends the appending, and comes out of `flush`.
  @Test func aRefusedRequestEndsIt() async throws {
    try await withDaemon(FakeDaemon.Faults(refusals: [2: [.invalidEdit]])) { daemon in
      let reports = Reports()
      let appender = try await ResilientAppender.connect(
        to: daemon.path, session: try #require(SessionID("s")), options: Self.options,
        report: { reports.note($0, $1) })
      try await appender.append(.inserting("a"))
      try await appender.append(.inserting("b"))
      let error = await #expect(throws: ProtocolError.self) { try await appender.flush() }
      #expect(error?.code == .invalidEdit)
      let later = await #expect(throws: ProtocolError.self) {
        try await appender.append(.inserting("c"))
      }
      #expect(later == error)
      #expect(reports.counters == [1, 2])
      #expect(reports.sequences == [1])
      await appender.close()
    }
  }

  /// A request may have ended and its report still be under way: `flush` waits for that too.
  @Test func flushComesAfterTheReports() async throws {
    try await withDaemon { daemon in
      let reports = Reports()
      let appender = try await ResilientAppender.connect(
        to: daemon.path, session: try #require(SessionID("s")), options: Self.options,
        report: { counter, result in
          usleep(100_000)
          reports.note(counter, result)
        })
      for counter in UInt64(1)...3 {
        try await appender.append(.inserting("a"))
        try await Task.sleep(for: .milliseconds(30))
        try await appender.flush()
        #expect(reports.counters == Array(1...counter))
      }
      await appender.close()
    }
  }

  @Test func patienceEnds() async throws {
    try await withDaemon { daemon in
      var options = Self.options
      options.patience = .milliseconds(50)
      // So that `append` never waits.
      (options.windowCountMax, options.windowSizeMax) = (.max / 2, .max / 2)
      let appender = try await ResilientAppender.connect(
        to: daemon.path, session: try #require(SessionID("s")), options: options)
      await daemon.kill()
      let deadline = ContinuousClock.now + .seconds(300)
      await #expect(throws: ProtocolError.self) {
        while .now < deadline {
          try await appender.append(.inserting("x"))
          try await Task.sleep(for: .milliseconds(1))
        }
      }
      let error = await #expect(throws: ProtocolError.self) { try await appender.flush() }
      #expect(error?.code == .unreachable)
      await appender.close()
    }
  }

  /// If the daemon refuses a request for a reason that may pass until the patience is over, that reason
  /// is reported.
  @Test func aRefusalThatDoesNotPassIsReported() async throws {
    let refusals = [ProtocolError.Code](repeating: .noSpace, count: 1 << 20)
    try await withDaemon(FakeDaemon.Faults(refusals: [1: refusals])) { daemon in
      var options = Self.options
      options.patience = .milliseconds(200)
      let appender = try await ResilientAppender.connect(
        to: daemon.path, session: try #require(SessionID("s")), options: options)
      for _ in 0..<3 { try await appender.append(.inserting("x")) }
      let error = await #expect(throws: ProtocolError.self) { try await appender.flush() }
      #expect(error?.code == .noSpace)
      await appender.close()
    }
  }

  @Test func closingEndsWhatWaits() async throws {
    try await withDaemon(FakeDaemon.Faults(dropBefore: 100)) { daemon in
      let reports = Reports()
      let appender = try await ResilientAppender.connect(
        to: daemon.path, session: try #require(SessionID("s")), options: Self.options,
        report: { reports.note($0, $1) })
      try await appender.append(.inserting("x"))
      let flush = Task { try await appender.flush() }
      await appender.close()
      await #expect(throws: ProtocolError.self) { try await flush.value }
      await #expect(throws: ProtocolError.self) { try await appender.append(.inserting("y")) }
    }
  }

  @Test func aRequestTooLargeForAnyDaemonIsRefusedAtOnce() async throws {
    try await withDaemon { daemon in
      var options = Self.options
      options.requestSizeMax = 5000
      let appender = try await ResilientAppender.connect(
        to: daemon.path, session: try #require(SessionID("s")), options: options)
      let error = await #expect(throws: ProtocolError.self) {
        try await appender.append(.inserting(String(repeating: "a", count: 5000)))
      }
      #expect(error?.code == .tooLarge)
      // Larger than the window, but not too large: it goes alone.
      try await appender.append(.inserting(String(repeating: "a", count: 3000)))
      #expect(try await appender.append(.inserting("b")) == 2)
      try await appender.flush()
      await appender.close()
      #expect(daemon.handled.map(\.counter) == [1, 2])
    }
  }

  /// What no daemon would take is refused at once, and its counter is used by the next request.
  @Test func requestsThatNoDaemonWouldTakeUseNoCounter() async throws {
    try await withDaemon { daemon in
      let appender = try await ResilientAppender.connect(
        to: daemon.path, session: try #require(SessionID("s")), options: Self.options)
      let edit = try #require(try AppendRequest.inserting("x").edits.first)
      let attributes = AttributeChange.set([
        AttributeRun(length: 1, attributes: ["a": .string(String(repeating: "a", count: 300_000))])
      ])
      let long = AppendEdit(
        action: try EditAction(
          range: UTF16Range(0..<0), replacement: "x", attributes: attributes))
      for (edits, code) in [
        ([], .invalidParams), ([AppendEdit](repeating: edit, count: 65_537), .tooLarge),
        ([long], .tooLarge),
      ] as [([AppendEdit], ProtocolError.Code)] {
        let broken = AppendRequest(document: document("doc"), edits: edits)
        let error = await #expect(throws: ProtocolError.self) {
          try await appender.append(broken)
        }
        #expect(error?.code == code)
      }
      #expect(try await appender.append(.inserting("x")) == 1)
      try await appender.flush()
      await appender.close()
    }
  }

  @Test func thereMustBeADaemonToBeginWith() async throws {
    let session = try #require(SessionID("s"))
    let error = await #expect(throws: ProtocolError.self) {
      _ = try await ResilientAppender.connect(to: "/nonexistent/socket", session: session)
    }
    #expect(error?.code == .unreachable)
  }
}

/// What an appender reported, in the order it did.
private final class Reports: Sendable {
  private let reports = Mutex<[(UInt64, Result<AppendResult, ProtocolError>)]>([])

  func note(_ counter: UInt64, _ result: Result<AppendResult, ProtocolError>) {
    reports.withLock { $0.append((counter, result)) }
  }

  var counters: [UInt64] { reports.withLock { $0.map(\.0) } }
  var sequences: [SequenceNumber] {
    reports.withLock { $0.compactMap { try? $0.1.get().sequence } }
  }
}
