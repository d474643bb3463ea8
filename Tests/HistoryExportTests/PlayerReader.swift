import CZlib
import EditJSON
import EditModel
import EditProtocol
import NIOCore
import Testing

/// Reads what the player reads, in the plainest way, as an oracle for what is written.
struct PlayerReader {
  /// A replacement as the player makes it.
  struct Replacement: Equatable {
    var range: Range<Int>
    var text: [UInt16]
  }

  /// The first part.
  private(set) var head: JSON = .null
  private(set) var replacements: [Replacement] = []
  /// For each edit in units of the head's `unit`, and the nanoseconds besides.
  private(set) var times: [Int] = []
  private(set) var nanoseconds: [Int] = []
  /// The index of each edit's writer.
  private(set) var writers: [Int] = []
  /// By the index of an edit, the pieces that have other writers after it.
  private(set) var origins: [Int: [(range: Range<Int>, back: Int)]] = [:]
  private(set) var steps: [[Int]] = []
  private(set) var moves: [(sequence: Int, step: Int)] = []
  private(set) var costs: [[Int]] = []
  private(set) var saves: [Int] = []
  private(set) var start: [UInt16] = []

  init(_ packed: [UInt8], first: Int = 0) throws {
    var bytes = Bytes(try Self.unpacked(packed))
    let parts = (0..<13).map { _ in bytes.part() }
    start = bytes.units()
    let text = bytes.units()
    head = try JSON.parse(frame: ByteBuffer(bytes: parts[0]), limits: JSON.Limits())
    readEdits(parts, text)
    var (blame, sequence) = (Bytes(parts[8]), first)
    while !blame.isAtEnd {
      sequence += blame.unsigned()
      var location = 0
      var pieces: [(range: Range<Int>, back: Int)] = []
      for _ in 0..<blame.unsigned() {
        location += blame.unsigned()
        let length = blame.unsigned()
        pieces.append((location..<location + length, blame.unsigned()))
        location += length
      }
      origins[sequence - first - 1] = pieces
    }
    readLists(parts)
  }

  private mutating func readEdits(_ parts: [[UInt8]], _ text: [UInt16]) {
    var columns = parts.map { Bytes($0) }
    var (end, offset, time) = (0, 0, Int(head["time"].flatMap { try? $0.asInt() } ?? 0))
    while !columns[1].isAtEnd {
      let count = columns[1].unsigned()
      let (move, removed, added) = (
        columns[2].signed(), columns[3].unsigned(), columns[4].unsigned()
      )
      for _ in 0..<count {
        let place = end + move
        replacements.append(
          Replacement(
            range: place..<place + removed, text: Array(text[offset..<offset + added])))
        (end, offset) = (place + added, offset + added)
        time += columns[5].unsigned()
        times.append(time)
        if !columns[6].isAtEnd { nanoseconds.append(columns[6].unsigned()) }
      }
    }
    while !columns[7].isAtEnd {
      let count = columns[7].unsigned()
      writers += Array(repeating: columns[7].unsigned(), count: count)
    }
  }

  private mutating func readLists(_ parts: [[UInt8]]) {
    var columns = parts.map { Bytes($0) }
    while !columns[9].isAtEnd { steps.append((0..<7).map { _ in columns[9].unsigned() }) }
    var sequence = 0
    while !columns[10].isAtEnd {
      sequence += columns[10].unsigned()
      moves.append((sequence, columns[10].unsigned()))
    }
    while !columns[11].isAtEnd { costs.append((0..<6).map { _ in columns[11].unsigned() }) }
    var save = 0
    while !columns[12].isAtEnd {
      save += columns[12].unsigned()
      saves.append(save)
    }
  }

  private static func unpacked(_ packed: [UInt8]) throws -> [UInt8] {
    var output = [UInt8](repeating: 0, count: 1 << 24)
    var length = uLong(output.count)
    let status = uncompress(&output, &length, packed, uLong(packed.count))
    try #require(status == Z_OK)
    return Array(output.prefix(Int(length)))
  }
}

extension JSON {
  fileprivate func asInt() throws -> Int {
    guard case .integer(let value) = self else {
      throw ShapeError(mustBe: "an integer", found: self)
    }
    return Int(value)
  }
}

/// Numbers and parts.
struct Bytes {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { rest = bytes[...] }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func unsigned() -> Int {
    var (value, shift) = (0, 0)
    while let byte = rest.popFirst() {
      value |= Int(byte & 0x7F) << shift
      shift += 7
      if byte < 0x80 { break }
    }
    return value
  }

  mutating func signed() -> Int {
    let value = unsigned()
    return value % 2 == 0 ? value / 2 : -(value + 1) / 2
  }

  mutating func part() -> [UInt8] {
    let count = unsigned()
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Units as UTF-8 in which a lone surrogate has three bytes.
  mutating func units() -> [UInt16] {
    let count = unsigned()
    var units: [UInt16] = []
    while units.count < count, let first = rest.popFirst() {
      let more = first < 0x80 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
      var scalar = more == 0 ? Int(first) : Int(first) & (0x3F >> more)
      for _ in 0..<more { scalar = scalar << 6 | Int((rest.popFirst() ?? 0) & 0x3F) }
      if scalar < 0x10000 {
        units.append(UInt16(scalar))
      } else {
        units += [UInt16(0xD7C0 + scalar >> 10), UInt16(0xDC00 | scalar & 0x3FF)]
      }
    }
    return units
  }
}
