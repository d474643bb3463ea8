import Foundation

/// The program: checks the files that its arguments name.
@main
struct CheckCases {
  static func main() {
    let paths = CommandLine.arguments.dropFirst()
    guard !paths.isEmpty, !paths.contains(where: { $0.hasPrefix("-") }) else {
      FileHandle.standardError.write(Data("usage: Tools/check-cases FILE...\n".utf8))
      exit(64)
    }
    var report = Report()
    for path in paths {
      do { try CaseFile(path: path).check(&report) } catch {
        FileHandle.standardError.write(Data("check-cases: \(path): \(error)\n".utf8))
        exit(65)
      }
    }
    report.finish()
    exit(report.failed > 0 ? 1 : 0)
  }
}

/// What is printed: a line for each case, and a count.
struct Report {
  private(set) var (passed, failed) = (0, 0)

  /// Prints the result of a case: the differences, or none.
  mutating func add(_ name: String, _ differences: [String]) {
    if differences.isEmpty {
      passed += 1
      print("ok    \(name)")
    } else {
      failed += 1
      print("FAIL  \(name)")
      for difference in differences { print("      \(difference)") }
    }
  }

  func finish() {
    print("\(passed) passed, \(failed) failed")
  }
}
