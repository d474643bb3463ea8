import DaemonTestSupport
import EditClient
import EditModel
import EditProtocol
import Glibc
import Subprocess
import TestSupport
import Testing

@testable import EditDaemon

/// The program when there is nothing to do.
@Suite(.timeLimit(.minutes(10))) struct RestingDaemonTests {
  private let folder = TemporaryFolder()

  private func insert(_ text: String) -> AppendEdit {
    AppendEdit(action: EditAction(replacing: UTF16Range(0..<0), with: UTF16Text(text)))
  }

  /// Dispatch would wake the daemon every second, from the first task on its threads on. The pages of
  /// the program are given back, and those that are used again come back.
  @Test func `at rest nothing wakes the daemon`() async throws {
    let (status, _) = try await ChildDaemon(in: folder).run { process in
      let client = try await EditLogClient.connect(to: RunningDaemon.socket(in: folder))
      _ = try await client.append("d", insert("a"))
      _ = try await client.call(SubscribeRequest(document("d")))
      _ = try await client.append("d", insert("b"))
      #expect(try await client.text(of: "d") == "ba")
      func switchCounts() throws -> [Int] {
        let threads = try ProcessThread.all(of: process.id)
        #expect(threads.count >= 4)
        #expect(threads.filter { $0.name.contains("qos") }.isEmpty)
        return threads.map(\.switchCount)
      }
      var isQuiet = false
      for _ in 0..<20 where !isQuiet {
        let before = try switchCounts()
        try await Task.sleep(for: .seconds(2.5))
        isQuiet = try switchCounts() == before
      }
      #expect(isQuiet)
      _ = try await client.append("d", insert("c"))
      #expect(try await client.text(of: "d") == "cba")
      await client.close()
      process(SIGTERM)
    }
    #expect(status == .exited(0))
  }
}
