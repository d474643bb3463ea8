/// A string that is compared by the bytes of its UTF-8 form. `String` treats canonically equivalent
/// strings as equal, but a log must return the exact bytes that were stored.
package struct ExactString: Hashable, Sendable {
  /// The string.
  package let string: String

  /// This string, compared by its bytes.
  package init(_ string: String) { self.string = string }

  /// True if the bytes are equal.
  package static func == (left: Self, right: Self) -> Bool {
    left.string.isExactly(right.string)
  }

  /// Feeds the bytes to `hasher`.
  package func hash(into hasher: inout Hasher) { string.hashBytes(into: &hasher) }
}

extension String {
  /// True if the bytes of the UTF-8 forms are the same.
  @inlinable package func isExactly(_ other: String) -> Bool {
    guard utf8.count == other.utf8.count else { return false }
    let isEqual = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in left.isExactly(right) }
    }
    return isEqual.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
  }

  /// True if the bytes of the UTF-8 form come before those of `other`.
  package func precedesExactly(_ other: String) -> Bool {
    let precedes = utf8.withContiguousStorageIfAvailable { left in
      other.utf8.withContiguousStorageIfAvailable { right in
        left.lexicographicallyPrecedes(right)
      }
    }
    return precedes.flatMap { $0 } ?? utf8.lexicographicallyPrecedes(other.utf8)
  }

  /// Feeds the bytes of the UTF-8 form to `hasher`. Canonically equivalent strings have different
  /// hashes, so that a client cannot send many different names with the same hash.
  package func hashBytes(into hasher: inout Hasher) {
    var copy = self
    copy.withUTF8 { bytes in
      hasher.combine(bytes.count)
      hasher.combine(bytes: UnsafeRawBufferPointer(bytes))
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// True if the bytes are the same, of a buffer of the same size. Eight bytes at a time: the names of
  /// a document and a session are compared for each edit.
  @usableFromInline func isExactly(_ other: Self) -> Bool {
    guard let left = UnsafeRawPointer(baseAddress), let right = UnsafeRawPointer(other.baseAddress),
      left != right
    else { return true }
    var offset = 0
    while offset + 8 <= count {
      guard
        left.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
          == right.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      else { return false }
      offset += 8
    }
    while offset < count {
      guard self[offset] == other[offset] else { return false }
      offset += 1
    }
    return true
  }
}

extension String? {
  /// True if both are absent, or the bytes of their UTF-8 forms are the same.
  @inlinable package func isExactly(_ other: String?) -> Bool {
    switch (self, other) {
    case (nil, nil): true
    case (let left?, let right?): left.isExactly(right)
    default: false
    }
  }
}

extension String {
  /// True if the bytes of `prefix` are the first ones. Unlike `hasPrefix`, it finds `/a/` in a path whose
  /// next part begins with a combining character.
  package func startsExactly(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}

/// Dictionaries and sets of names and paths, which are compared by their bytes.
extension Dictionary where Key == ExactString {
  /// The value for a string with these bytes.
  package subscript(_ string: String) -> Value? {
    get { self[ExactString(string)] }
    set { self[ExactString(string)] = newValue }
  }

  /// The value for a string with these bytes, or `default`.
  package subscript(_ string: String, default value: @autoclosure () -> Value) -> Value {
    get { self[ExactString(string), default: value()] }
    set { self[ExactString(string)] = newValue }
  }

  /// Removes and returns the value for a string with these bytes.
  @discardableResult
  package mutating func removeValue(forKey string: String) -> Value? {
    removeValue(forKey: ExactString(string))
  }
}

extension Set<ExactString> {
  /// A set of these strings.
  package init(exact strings: some Sequence<String>) {
    self.init(strings.lazy.map(ExactString.init))
  }

  /// The strings, in the order of their bytes.
  package var sortedStrings: [String] { map(\.string).sorted { $0.precedesExactly($1) } }

  /// True if a string with these bytes is a member.
  package func contains(_ string: String) -> Bool { contains(ExactString(string)) }

  /// Adds a string. Returns false if one with these bytes is a member.
  @discardableResult
  package mutating func insert(_ string: String) -> Bool { insert(ExactString(string)).inserted }

  /// Removes a string with these bytes. Returns false if there is none.
  @discardableResult
  package mutating func remove(_ string: String) -> Bool { remove(ExactString(string)) != nil }
}
