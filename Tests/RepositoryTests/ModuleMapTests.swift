import Foundation
import RegexBuilder
import Testing

/// The guide's map says the same as Package.swift, which the compiler enforces.
@Suite struct ModuleMapTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func text(_ name: String) throws -> String {
    try String(contentsOf: root.appending(path: name), encoding: .utf8)
  }

  private static let article = "Sources/Guide.docc/Architecture.md"

  /// The part of the article from "## The map" to the next heading.
  private static func map() throws -> Substring {
    let text = try text(article)
    let start = try #require(text.range(of: "\n## The map\n"), "\(article) has no \"## The map\"")
    return text[start.upperBound...].prefix(upTo: text[start.upperBound...].nextHeading)
  }

  /// The rows `| module | uses | for |` of the table below the map, from top to bottom.
  private static func rows() throws -> [(module: String, uses: Set<String>)] {
    try map().split(separator: "\n").filter { $0.hasPrefix("| `") }.map { line in
      let cells = line.split(separator: "|", omittingEmptySubsequences: false)
      try #require(cells.count == 5, "not | module | uses | for |: \(line)")
      let names = cells[2].matches(of: /`(\w+)`/).map { String($0.1) }
      let module = try #require(cells[1].firstMatch(of: /`(\w+)`/), "no module: \(line)")
      return (String(module.1), Set(names))
    }
  }

  /// The targets of Package.swift that are folders of Sources, and which of them each depends on.
  private static func targets() throws -> [String: Set<String>] {
    let manifest = try text("Package.swift")
    // The guide belongs to no target.
    let folders = Set(
      try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Sources").path)
    ).subtracting(["Guide.docc"])
    var targets: [String: Set<String>] = [:]
    let declaration = /\.(?:target|executableTarget|systemLibrary)\(\s*name: "(\w+)"/
    let withList = Regex {
      declaration
      Optionally { /,\s*dependencies: \[([^\]]*)\]/ }
    }
    for call in manifest.matches(of: withList) where folders.contains(String(call.1)) {
      let names = (call.2 ?? "").matches(of: /"(\w+)"/).map { String($0.1) }
      targets[String(call.1)] = Set(names)
    }
    #expect(
      Set(targets.keys) == folders, "the folders of Sources are not the targets of Package.swift")
    return targets
  }

  @Test func `the table lists every module and what it uses`() throws {
    let (rows, targets) = (try Self.rows(), try Self.targets())
    let listed = rows.map(\.module)
    #expect(listed.count == Set(listed).count, "\(Self.article): a module has two rows")
    for module in Set(targets.keys).subtracting(listed).sorted() {
      Issue.record("\(Self.article), The map: no row for \(module)")
    }
    for (module, uses) in rows {
      guard let declared = targets[module] else {
        Issue.record("\(Self.article), The map: \(module) is no target of Package.swift")
        continue
      }
      for name in declared.subtracting(uses).sorted() {
        Issue.record("\(module) depends on \(name) in Package.swift, but not in \(Self.article)")
      }
      for name in uses.subtracting(declared).sorted() {
        Issue.record("\(module) uses \(name) in \(Self.article), but not in Package.swift")
      }
    }
  }

  @Test func `arrows point down`() throws {
    let rows = try Self.rows()
    for (index, row) in rows.enumerated() {
      let above = Set(rows[...index].map(\.module))
      for name in row.uses.intersection(above).sorted() {
        Issue.record("\(Self.article), The map: \(row.module) uses \(name), whose row is not below")
      }
    }
  }

  /// The picture shows every module but the C shims. `Tools/pictures --check` compares its arrows.
  @Test func `every module is in the picture`() throws {
    let picture = try Self.text("Sources/Guide.docc/Resources/modules.svg")
    let names = Set(picture.matches(of: />(\w+)<\/text>/).map { String($0.1) })
    for module in try Self.targets().keys.sorted() {
      let shim = Self.root.appending(path: "Sources/\(module)/module.modulemap").path
      guard !FileManager.default.fileExists(atPath: shim) else { continue }
      #expect(names.contains(module), "modules.svg has no \(module): run Tools/pictures")
    }
  }
}

extension Substring {
  /// Where the next heading of the second level begins; the end if there is none.
  fileprivate var nextHeading: Index { firstRange(of: "\n## ")?.lowerBound ?? endIndex }
}
