/// A part of applying an edit, as a probe is told of it. One edit may do a part in pieces.
package enum ApplyPhase: Hashable, Sendable {
  /// Finding the place.
  case locate
  /// Replacing units.
  case text
  /// Replacing attribute runs.
  case attributes
  /// Replacing paragraphs, and saying what became of them.
  case paragraphs
}

/// Is told of each part of an edit right after it is done, to time it.
package protocol ApplyProbe {
  /// All since the last call, or since the edit began, was spent on `phase`.
  mutating func finished(_ phase: ApplyPhase)
}

/// Looks at nothing, and costs nothing once specialised.
package struct NoProbe: ApplyProbe {
  // With a place of its own: what takes no memory looks to the thread sanitizer as if all threads
  // had one.
  private var memory: UInt8 = 0

  package init() {}
  @inline(__always) package mutating func finished(_ phase: ApplyPhase) {}
}
