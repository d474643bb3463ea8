import CNcurses
import Glibc
import TestSupport
import Testing

@testable import EditLogCommands

/// Which characters a cell of ncurses holds, and which are written beside it.
@Suite struct TerminalClusterTests {
  init() { setlocale(LC_CTYPE, "C.UTF-8") }

  @Test(arguments: [
    ("a", 1, [0x61]), ("e\u{301}", 1, [0x65, 0x301]), ("日", 2, [0x65E5]),
    ("a\u{336}", 1, [0x61, 0x336]), ("", 1, [0x20]),
    // A joiner joins nothing.
    ("م\u{200D}", 1, [0x645]),
    // The stroke of deleted text gives way to marks.
    ("e\u{301}\u{302}\u{303}\u{304}\u{336}", 1, [0x65, 0x301, 0x302, 0x303, 0x304]),
  ])
  func `a cell holds a character and its marks`(text: String, width: Int, scalars: [Int]) {
    #expect(TerminalClusters.scalars(text, width: width)?.map { Int($0) } == scalars + [0])
  }

  @Test(arguments: [
    ("日", 1), ("👩‍🚀", 2), ("🇩🇪", 2), ("\u{928}\u{93F}", 2),
    ("e\u{301}\u{302}\u{303}\u{304}\u{305}", 1), ("\u{301}", 1),
    // What stands for characters that are written later.
    ("?\u{34F}\u{34F}\u{34F}", 1),
  ])
  func `what a cell cannot hold whole is refused`(text: String, width: Int) {
    #expect(TerminalClusters.scalars(text, width: width) == nil)
  }

  @Test(arguments: [
    ("\u{928}\u{93F}", 2, true), ("\u{E19}\u{E49}\u{E33}", 2, true), ("\u{928}\u{93F}", 3, true),
    ("\u{928}\u{93F}\u{336}", 2, true), ("\u{928}\u{93F}", 1, false), ("\u{928}", 2, false),
    ("e\u{301}", 2, false), ("👩‍🚀", 2, false), ("ab", 2, false), ("a\u{1B}", 2, false),
    ("a\u{200D}\u{93F}", 2, false), ("", 2, false),
  ])
  func `letters with marks beside them are known`(text: String, width: Int, isSpaced: Bool) {
    #expect(TerminalClusters.isSpaced(text, width: width) == isSpaced)
  }

  /// Whatever scalars come together: what is given to ncurses has its cells, and nothing controls a terminal.
  @Test(arguments: seeds(20)) func `cells are never more than the width`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let pool: [UInt32] = [
      0x61, 0x301, 0x336, 0x200D, 0xFE0F, 0x928, 0x93F, 0xE33, 0x65E5, 0x1F469, 0x1F1E9, 0x1B, 0x9B,
      0x202E, 0x1112, 0x1161,
    ]
    for _ in 0..<500 {
      var text = ""
      for _ in 0..<Int.random(in: 0...6, using: &random) {
        guard let scalar = pool.randomElement(using: &random).flatMap(Unicode.Scalar.init) else {
          continue
        }
        text.unicodeScalars.append(scalar)
      }
      let width = Int.random(in: 1...3, using: &random)
      let sum = text.unicodeScalars.reduce(0) { $0 + Int(wcwidth(wchar_t($1.value))) }
      if TerminalClusters.isSpaced(text, width: width) {
        #expect(sum <= width && !text.unicodeScalars.contains { $0.value < 0x20 }, "seed \(seed)")
      }
      guard let scalars = TerminalClusters.scalars(text, width: width) else { continue }
      #expect(scalars.reduce(0) { $0 + Int(wcwidth($1)) } <= width, "seed \(seed)")
      #expect(!scalars.dropLast().contains { $0 < 0x20 }, "seed \(seed)")
    }
  }
}
