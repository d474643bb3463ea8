import EditClient
import EditJSON
import EditModel
import EditProtocol
import TestSupport
import Testing

/// Runs `body` with a daemon in a folder of its own.
func withDaemon(
  seed: UInt64 = 0, _ faults: FakeDaemon.Faults = .init(),
  _ body: @escaping @Sendable (FakeDaemon) async throws -> Void
) async throws {
  let folder = TemporaryFolder()
  let daemon = try await FakeDaemon(folder.path("s"), faults, seed: seed)
  do {
    try await value(of: Task { try await body(daemon) })
    await daemon.kill()
  } catch {
    await daemon.kill()
    throw error
  }
}

@Suite struct ClientTests {
  @Test func manyCallsAreUnderWayAtOnce() async throws {
    try await withDaemon { daemon in
      let client = try await EditLogClient.connect(to: daemon.path)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<200 {
          group.addTask {
            let params: JSON = ["index": JSON(index)]
            let answer = try await client.call("echo", params)
            #expect(answer == params)
          }
        }
        try await group.waitForAll()
      }
      let result = try await client.append(.inserting("a"))
      #expect(result == AppendResult(first: 1, sequence: 1, durable: true))
      try await client.notify("initialized", [:])
      await client.close()
    }
  }

  @Test func refusalsAreTheCallers() async throws {
    try await withDaemon { daemon in
      let client = try await EditLogClient.connect(to: daemon.path)
      await #expect(throws: ProtocolError.methodNotFound("nothing")) {
        try await client.call("nothing")
      }
      #expect(try await client.call("echo", [1]) == [1])
      await client.close()
    }
  }

  @Test func aLostConnectionFailsAllCalls() async throws {
    try await withDaemon { daemon in
      let client = try await EditLogClient.connect(to: daemon.path)
      await withTaskGroup(of: ProtocolError.Code?.self) { group in
        for method in ["ignore", "ignore", "die"] {
          group.addTask {
            do {
              _ = try await client.call(method)
              return nil
            } catch { return (error as? ProtocolError)?.code }
          }
        }
        for await code in group { #expect(code == .unreachable) }
      }
      let error = await #expect(throws: ProtocolError.self) { try await client.call("echo") }
      #expect(error?.code == .unreachable)
      let notifyError = await #expect(throws: ProtocolError.self) { try await client.notify("x") }
      #expect(notifyError?.code == .unreachable)
      await client.close()
    }
  }

  @Test func aCancelledCallNoLongerWaits() async throws {
    try await withDaemon { daemon in
      let client = try await EditLogClient.connect(to: daemon.path)
      let task = Task { try await client.call("ignore") }
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
      #expect(try await client.call("echo", [1]) == [1])
      await client.close()
    }
  }

  @Test func limitsAreKept() async throws {
    try await withDaemon { daemon in
      var options = EditLogClient.Options()
      (options.frameSizeMax, options.callCountMax) = (200, 2)
      let client = try await EditLogClient.connect(to: daemon.path, options: options)
      let error = await #expect(throws: ProtocolError.self) {
        try await client.call("echo", [JSON(String(repeating: "a", count: 300))])
      }
      #expect(error?.code == .tooLarge)
      // Two of three wait until the connection ends; the one too many is told at once.
      let calls = (0..<3).map { _ in Task { try await client.call("ignore") } }
      await withTaskGroup(of: ProtocolError.Code?.self) { group in
        for call in calls {
          group.addTask {
            do {
              _ = try await call.value
              return nil
            } catch { return (error as? ProtocolError)?.code }
          }
        }
        #expect(await group.next() == .overloaded)
        await client.close()
        for await code in group { #expect(code == .unreachable) }
      }
    }
  }

  @Test func aMissingSocketIsNamedWithAHint() async throws {
    let missing = await #expect(throws: ProtocolError.self) {
      _ = try await EditLogClient.connect(to: "/nonexistent/socket")
    }
    #expect(missing?.code == .unreachable)
    #expect(missing?.message.contains("there is no such socket; start it with") == true)
    #expect(missing?.message.contains("`systemctl --user status editlogd`") == true)
    #expect(EditLogClient.pathSizeMax == 107)
    for count in [0, 108] {
      let tooLong = await #expect(throws: ProtocolError.self) {
        _ = try await EditLogClient.connect(to: String(repeating: "a", count: count))
      }
      #expect(tooLong?.code == .tooLarge)
      #expect(tooLong?.message.contains("107 are allowed") == true)
    }
  }

  @Test func aSocketThatADaemonLeftIsUnreachable() async throws {
    try await withDaemon { daemon in
      // The file of a killed daemon stays.
      await daemon.kill()
      let error = await #expect(throws: ProtocolError.self) {
        _ = try await EditLogClient.connect(to: daemon.path)
      }
      #expect(error?.code == .unreachable)
    }
  }
}
