import EditModel
import TestSupport

/// Sends one large edit to a new daemon.
enum LargeEdit {
  /// The size of the text in bytes: nearly the whole frame.
  private static let size = 64 << 20
  /// The memory allowed for an edit, in sizes of its frame.
  private static let factorMax = 3.0

  /// The peak memory of an edit of prose until it is acknowledged, in sizes of its frame.
  static func check(_ program: String) throws -> Double {
    let folder = TemporaryFolder(in: scratchPlace)
    let daemon = DaemonProcess(program, store: folder.path("store"), folder: folder.path)
    try daemon.start()
    try HonestClient.waitUntilThere(daemon.socket)
    guard let session = SessionID("large"), let document = DocumentID("large") else { return 0 }
    let client = try HonestClient(daemon.socket)
    _ = try client.append("x", to: document, session, 1)
    let before = try ProcessFigures(of: daemon)
    _ = try client.append(prose(), to: document, session, 2)
    let peak = try ProcessFigures(of: daemon).peak - before.resident
    let factor = Double(peak) / Double(size)
    guard factor <= factorMax else {
      throw StateCheck.Failure(
        what: "an edit takes too much memory",
        detail:
          "\(peak >> 20) MiB for a text of \(size >> 20) MiB, and \(factorMax) times is allowed")
    }
    return factor
  }

  /// Words in paragraphs of about 500 letters.
  private static func prose() -> String {
    var random = SplitMix64(seed: 1)
    let words = (0..<10_000).map { _ in
      String(
        decoding: (0..<2 + random.next() % 9).map { _ in
          UInt8(ascii: "a") + UInt8(random.next() % 26)
        }, as: UTF8.self)
    }
    var text = ""
    text.reserveCapacity(size + 16)
    while text.utf8.count < size {
      text += words[Int(random.next() % UInt64(words.count))]
      text += random.next() % 80 == 0 ? "\n" : " "
    }
    return text
  }
}
