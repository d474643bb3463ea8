import Glibc
import NIOCore
import NIOPosix
import Subprocess
import TestSupport

/// `editlogd` as a process of its own.
struct ChildDaemon {
  private let program: String
  private let folder: TemporaryFolder

  /// The program that was built beside these tests; nil, with a printed reason, where there is
  /// none.
  init?(in folder: TemporaryFolder) {
    var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let size = readlink("/proc/self/exe", &buffer, buffer.count)
    let path = String(decoding: buffer.prefix(max(size, 0)), as: UTF8.self)
    program =
      path.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/") + "/editlogd"
    self.folder = folder
    guard access(program, X_OK) == 0 else {
      print("skipped: there is no editlogd at \(program)")
      return nil
    }
  }

  /// Starts it, runs `body` with a way to send it signals once it says that it is ready, and
  /// returns when it has ended: how, and what it logged.
  func run(
    untilReady: Bool = true,
    _ body: (_ signal: @escaping @Sendable (Int32) -> Void) async throws -> Void
  ) async throws -> (TerminationStatus, String) {
    let manager = try await Manager(at: folder.path("notify"))
    let result = try await Subprocess.run(
      // Only names are looked up; `env` becomes the program.
      .name("env"),
      arguments: [
        program, "--store", RunningDaemon.store(in: folder), "--socket", RunningDaemon.socket(in: folder),
      ],
      environment: .inherit.updating(["NOTIFY_SOCKET": manager.path]),
      input: .none, output: .discarded, error: .string(limit: 1 << 20)
    ) { execution in
      let process = execution.processIdentifier.value
      if untilReady { await manager.waitUntilReady() }
      do { try await body { kill(process, $0) } } catch {
        kill(process, SIGKILL)
        throw error
      }
    }
    await manager.close()
    return (result.terminationStatus, result.standardError)
  }

  /// The service manager's end of sd_notify(3).
  private final class Manager: Sendable {
    let path: String
    private let channel: any Channel
    private let messages: AsyncStream<String>

    init(at path: String) async throws {
      let (stream, continuation) = AsyncStream.makeStream(of: String.self)
      unlink(path)
      channel = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(Collector(continuation: continuation))
          }
        }
        .bind(unixDomainSocketPath: path).get()
      (self.path, messages) = (path, stream)
    }

    func waitUntilReady() async {
      for await message in messages where message.hasPrefix("READY=1\n") { return }
    }
    func close() async { try? await channel.close() }
  }

  private final class Collector: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>
    let continuation: AsyncStream<String>.Continuation

    init(continuation: AsyncStream<String>.Continuation) { self.continuation = continuation }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      continuation.yield(String(buffer: unwrapInboundIn(data).data))
    }
  }
}
