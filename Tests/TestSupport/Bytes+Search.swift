extension [UInt8] {
  /// True if the UTF-8 bytes of `text` are among these. O(n · length of `text`).
  public func hold(_ text: String) -> Bool {
    let needle = Array(text.utf8)
    guard needle.count <= count else { return false }
    return (0...count - needle.count).contains { offset in
      needle.indices.allSatisfy { self[offset + $0] == needle[$0] }
    }
  }
}
