import ModelStorage
import TestSupport

/// An item whose identity is a number and whose content is a letter: `1a`.
struct Entry: Identifiable, Hashable, Sendable, CustomStringConvertible {
  var id: Int
  var value: String

  var description: String { "\(id)\(value)" }
}

/// An item whose content is its identity.
struct Word: Identifiable, Hashable, Sendable, ExpressibleByStringLiteral {
  let id: String

  init(stringLiteral value: String) { id = value }
}

typealias Storage = SectionedStorage<Entry, String>
typealias Update = StorageUpdate<Entry, String>

/// Items as they are written: `1a 2b`.
func entries(_ text: String) -> [Entry] {
  text.split(separator: " ").map { word in
    Entry(id: Int(word.prefix { $0.isNumber }) ?? 0, value: String(word.drop { $0.isNumber }))
  }
}

/// A storage of sections as they are written: `1a 2b | 3c`.
func storage(_ text: String) -> Storage {
  Storage(
    text.split(separator: "|", omittingEmptySubsequences: false)
      .map { StorageSection(entries(String($0))) })
}

extension SectionedStorage<Entry, String> {
  /// Its items, as they are written.
  var text: String {
    sections.map { $0.items.map(\.description).joined(separator: " ") }.joined(separator: " | ")
  }
}

extension SplitMix64 {
  /// A number from 0 to `bound - 1`.
  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }

  /// Items of some identities, which come more than once if `repeats`.
  mutating func entries(_ count: Int, repeats: Bool) -> [Entry] {
    let ids =
      repeats ? (0..<count).map { _ in below(6) } : Array(0..<count + 3).shuffled(using: &self)
    return ids.prefix(count).map { Entry(id: $0, value: ["a", "b"][below(2)]) }
  }
}
