import EditModel
import TestSupport

@testable import TextState

/// The digest by the words of its article: all numbers in a row, one multiplication each.
enum DigestOracle {
  static func digest(_ units: [UInt16], _ runs: [AttributeRun], _ ids: [ParagraphID]) -> String {
    let runs = runs.flatMap { [UInt64($0.length)] + numbers(of: $0.attributes) }
    let ids = ids.flatMap { halves($0.sequence) + [UInt64($0.ordinal)] }
    return [units.map(UInt64.init), runs, ids].map(hash).joined()
  }

  static func digest(_ state: TextState) -> String {
    digest(state.text.units, state.attributeRuns, state.paragraphs.map(\.id))
  }

  private static func hash(_ numbers: [UInt64]) -> String {
    let prime: UInt128 = (1 << 61) - 1
    return [0x487_ED51_10B4_612C, 0x263_3145_C06E_0E6F as UInt128].map { base in
      let value = numbers.reduce(0 as UInt128) { ($0 * base + UInt128($1) + 1) % prime }
      return String(String(String(value + 1 << 64, radix: 16).reversed()).prefix(16).reversed())
    }.joined()
  }

  private static func numbers(of set: AttributeSet) -> [UInt64] {
    [UInt64(set.count)] + set.flatMap { numbers(of: $0.name) + numbers(of: $0.value) }
  }

  private static func numbers(of value: AttributeValue) -> [UInt64] {
    switch value {
    case .bool(let value): [value ? 1 : 0]
    case .integer(let value): [2] + halves(UInt64(bitPattern: value))
    case .double(let value): [3] + halves(value.isNaN ? 0x7FF8 << 48 : value.bitPattern)
    case .string(let value): [4] + numbers(of: value)
    case .bytes(let bytes): [5, UInt64(bytes.count)] + bytes.map(UInt64.init)
    case .list(let values): [6, UInt64(values.count)] + values.flatMap(numbers)
    case .map(let set): [7] + numbers(of: set)
    }
  }

  private static func numbers(of string: String) -> [UInt64] {
    [UInt64(string.utf8.count)] + string.utf8.map(UInt64.init)
  }

  private static func halves(_ bits: UInt64) -> [UInt64] { [bits >> 32, bits & 0xFFFF_FFFF] }
}
