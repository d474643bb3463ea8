/// A phase of applying an edit. An edit may do a phase in several pieces.
package enum ApplyPhase: Hashable, Sendable {
  /// Finding the paragraphs that the edit touches.
  case locate
  /// Replacing units.
  case text
  /// Replacing attribute runs.
  case attributes
  /// Replacing paragraphs, and making the paragraph events.
  case paragraphs
}

/// Called after each phase of an edit, to measure it.
package protocol ApplyProbe {
  /// The time since the last call, or since the edit began, was spent on `phase`.
  mutating func finished(_ phase: ApplyPhase)
}

/// Does nothing, and costs nothing after specialisation.
package struct NoProbe: ApplyProbe {
  // It has memory of its own, because the thread sanitizer treats an empty value as shared between
  // all threads.
  private var memory: UInt8 = 0

  package init() {}
  @inline(__always) package mutating func finished(_ phase: ApplyPhase) {}
}
