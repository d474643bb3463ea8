import EditModel
import EditProtocol

/// A point in time as people write it.
struct PointTarget: Target {
  var format: (any Format)? { nil }
  private let parser = PointParser(now: Timestamp(nanoseconds: 1_763_737_445_000_000_000)) {
    // Summer time for half of each year.
    $0 / 15_778_800 % 2 == 0 ? 3600 : 7200
  }

  func seeds() -> [[UInt8]] {
    [
      "1234", "0", "latest", "mark:LABEL", "2026-11-20T15:04:05Z", "2026-11-20", "15:04",
      "15:04:05.123456789", "15:04 today", "15:04 yesterday", "yesterday", "10m ago",
      "1h30m ago", "2w ago", "2026-11-20 15:04+01:30", "9999-12-31T23:59:60-23:59",
      "18446744073709551615", "0001-01-01",
    ].map { Array($0.utf8) }
  }

  func run(_ bytes: [UInt8]) {
    _ = try? parser.parse(String(decoding: bytes, as: UTF8.self))
    _ = Timestamp(rfc3339: String(decoding: bytes, as: UTF8.self))
  }
}
