import Glibc
import Synchronization
import TestSupport
import Testing

@testable import Sandbox

/// What the kernel refuses to a thread that has entered the sandbox. Each test restricts a thread of its
/// own, because nothing can be allowed again.
@Suite struct SandboxTests {
  /// What a new thread runs.
  private final class Work: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private final class Box<Value: Sendable>: Sendable {
    let result = Mutex<Result<Value, any Error>?>(nil)
  }

  /// Runs `body` on a new thread, and returns its result.
  private func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    let box = Box<Value>()
    let work = Unmanaged.passRetained(
      Work {
        let result = Result { try body() }
        box.result.withLock { $0 = result }
      })
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, work.toOpaque())
    try #require(code == 0)
    pthread_join(thread, nil)
    return try #require(box.result.withLock { $0 }).get()
  }

  /// The error of opening a file; 0 if it can be opened.
  private static func opening(_ path: String, _ flags: Int32) -> Int32 {
    let descriptor = open(path, flags, 0o600)
    if descriptor < 0 { return errno }
    close(descriptor)
    return 0
  }

  @Test func filesOutsideAreRefused() throws {
    let folder = TemporaryFolder()
    for name in ["store", "home", "other"] { mkdir(folder.path(name), 0o700) }
    for name in ["home/text", "other/text"] {
      #expect(Self.opening(folder.path(name), O_WRONLY | O_CREAT) == 0)
    }
    let isEntered = try onThread {
      var rules = FileRules()
      rules.allow([.read, .write], at: folder.path("store"))
      rules.allow(.read, at: folder.path("home"))
      rules.allow(.read, at: folder.path("missing"))
      guard try rules.enter() == nil else { return false }
      let store = folder.path("store")
      #expect(Self.opening("\(store)/a", O_RDWR | O_CREAT) == 0)
      #expect(mkdir("\(store)/folder", 0o700) == 0)
      #expect(rename("\(store)/a", "\(store)/folder/b") == 0)
      #expect(truncate("\(store)/folder/b", 10) == 0)
      #expect(unlink("\(store)/folder/b") == 0)
      #expect(symlink("/etc", "\(store)/link") == -1 && errno == EACCES)
      #expect(mkfifo("\(store)/pipe", 0o600) == -1 && errno == EACCES)
      let text = folder.path("home/text")
      #expect(Self.opening(text, O_RDONLY) == 0)
      #expect(Self.opening(text, O_WRONLY) == EACCES)
      #expect(Self.opening(folder.path("home/new"), O_WRONLY | O_CREAT) == EACCES)
      #expect(unlink(text) == -1 && errno == EACCES)
      #expect(Self.opening(folder.path("other/text"), O_RDONLY) == EACCES)
      #expect(Self.opening("/etc/passwd", O_RDONLY) == EACCES)
      #expect(Self.opening(folder.path("store/../other/text"), O_RDONLY) == EACCES)
      // What it creates is restricted too.
      let inherited = try onThread { Self.opening("/etc/passwd", O_RDONLY) }
      #expect(inherited == EACCES)
      return true
    }
    // The kernels of the machines that run these tests have it; another is told from a broken sandbox.
    #expect(isEntered || access("/sys/kernel/security/landlock", F_OK) != 0)
    #expect(Self.opening("/etc/passwd", O_RDONLY) == 0)
  }

  @Test func aSingleFileCanBeAllowed() throws {
    let folder = TemporaryFolder()
    for name in ["a", "b"] {
      #expect(Self.opening(folder.path(name), O_WRONLY | O_CREAT) == 0)
    }
    try onThread {
      var rules = FileRules()
      rules.allow([.read, .write], at: folder.path("a"))
      guard try rules.enter() == nil else { return }
      #expect(Self.opening(folder.path("a"), O_RDWR) == 0)
      #expect(Self.opening(folder.path("b"), O_RDONLY) == EACCES)
    }
  }

  @Test func otherCallsAreRefused() throws {
    try onThread {
      guard try CallFilter.enter(onlyThisThread: true) == nil else { return }
      #expect(socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) == -1 && errno == EAFNOSUPPORT)
      let unix = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
      #expect(unix >= 0)
      close(unix)
      #expect(chroot("/") == -1 && errno == ENOSYS)
      var arguments: [UnsafeMutablePointer<CChar>?] = [nil]
      #expect(execv("/bin/true", &arguments) == -1 && errno == ENOSYS)
      #expect(Self.opening("/etc/passwd", O_RDONLY) == 0)
      // A thread can still be created.
      #expect(try onThread { 1 } == 1)
    }
    #expect(CallFilter.count <= 77)
  }

  @Test func callsThatAreHiddenAreSaidToBe() throws {
    try onThread {
      guard try CallFilter.enter(onlyThisThread: true) == nil else { return }
      #expect(
        try FileRules().enter() == .unknownCall("landlock_create_ruleset", since: "5.13"))
      #expect(
        try CallFilter.enter(onlyThisThread: true) == .unknownCall("seccomp", since: "3.17"))
    }
  }

  /// A kernel without a call, one that has it switched off, and a filter that refuses it are three things.
  @Test func reasonsAreToldApart() {
    func landlock(_ code: Int32, _ call: String = "landlock_create_ruleset") -> SandboxGap? {
      SandboxGap(landlock: SandboxError(call: call, code: code))
    }
    #expect(landlock(ENOSYS) == .unknownCall("landlock_create_ruleset", since: "5.13"))
    #expect(landlock(EOPNOTSUPP) == .landlockOff)
    for code in [EPERM, EACCES] {
      let refused = SandboxError(call: "landlock_add_rule", code: code)
      #expect(landlock(code, "landlock_add_rule") == .refused(refused))
    }
    #expect(landlock(ENOMEM) == nil)
    func filter(_ code: Int32) -> SandboxGap? {
      SandboxGap(filter: SandboxError(call: "seccomp", code: code))
    }
    #expect(filter(ENOSYS) == .unknownCall("seccomp", since: "3.17"))
    #expect(filter(EINVAL) == .noFilters)
    #expect(filter(EPERM) == .refused(SandboxError(call: "seccomp", code: EPERM)))
    #expect(filter(ENOMEM) == nil)
    let said = landlock(EPERM).map { "\($0)" } ?? ""
    #expect(said.contains("refused (Operation not permitted)"))
    #expect(said.contains("SystemCallFilter=landlock_create_ruleset"))
  }
}
