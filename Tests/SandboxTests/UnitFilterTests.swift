import TestSupport
import Testing

@testable import Sandbox

/// The system calls that the units of systemd allow, by name: what a group such as `@system-service` holds
/// differs between versions of systemd.
@Suite struct UnitFilterTests {
  private static func text(_ path: String) throws -> String {
    let root = "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return String(decoding: try DiskFile.bytes("\(root)/\(path)"), as: UTF8.self)
  }

  /// What is allowed by name, after all that a unit forbids.
  private static func allowed(by unit: String) throws -> [Substring] {
    try text(unit).replacing("\\\n", with: " ").split(separator: "\n")
      .compactMap { line in
        line.hasPrefix("SystemCallFilter=") ? line.dropFirst("SystemCallFilter=".count) : nil
      }
      .reduce(into: []) { names, value in
        let isForbidden = value.hasPrefix("~")
        let words = value.drop { $0 == "~" }.split(separator: " ")
        if isForbidden { names.removeAll { words.contains($0) } } else { names += words }
        // A group that is forbidden takes back what was named before it.
        if isForbidden, words.contains(where: { $0.hasPrefix("@") }) { names = [] }
      }
  }

  @Test(arguments: ["systemd/user/editlogd.service", "systemd/system/editlogd.service"])
  func eachCallOfTheDaemonIsNamed(unit: String) throws {
    let names = try Self.allowed(by: unit)
    let source = try Self.text("Sources/Sandbox/CallFilter.swift")
    let called = source.matches(of: /\bSYS_([a-z0-9_]+)/).map { String($0.1) }
    #expect(called.count > 70)
    for call in Set(called + FileRules.calls + [CallFilter.call]).sorted() {
      #expect(names.contains(call[...]), "\(call)")
    }
    #expect(names.sorted() == Set(names).sorted())
  }
}
