/// Which tags of a toolbar can be used, and which are active: a pure function of the active ones. Tags
/// are for instance the styles of a word, or the kinds of a paragraph.
public struct TagRules: Hashable, Sendable {
  /// What an active tag does to others.
  public struct Effects: Hashable, Sendable {
    /// Tags that can be used.
    public var enables: [String]
    /// Tags that cannot be used.
    public var disables: [String]
    /// Tags that become active.
    public var activates: [String]
    /// Tags that become inactive.
    public var deactivates: [String]

    /// Effects.
    ///
    /// - Parameters:
    ///   - enables: Tags that can be used.
    ///   - disables: Tags that cannot be used.
    ///   - activates: Tags that become active.
    ///   - deactivates: Tags that become inactive.
    public init(
      enables: [String] = [], disables: [String] = [], activates: [String] = [],
      deactivates: [String] = []
    ) {
      (self.enables, self.disables) = (enables, disables)
      (self.activates, self.deactivates) = (activates, deactivates)
    }
  }

  /// What a tag is.
  public enum State: String, CaseIterable, Hashable, Sendable {
    /// It can be used, and is not active.
    case inactive
    /// It is active.
    case active
    /// It cannot be used.
    case disabled
  }

  /// The tag that is active if no other is.
  public var `default`: String
  /// What each tag does if it is active.
  public var rules: [String: Effects] = [:]

  /// Rules without effects.
  public init(default: String) { self.default = `default` }

  /// All tags: those that the rules name, and the default tag, in alphabetic order.
  public var tags: [String] {
    var tags: Set<String> = [self.default]
    for (tag, effects) in rules {
      tags.insert(tag)
      tags.formUnion(effects.enables + effects.disables + effects.activates + effects.deactivates)
    }
    return tags.sorted()
  }

  /// The state of each tag.
  ///
  /// Effects are those of the tags in `active`, or of the default tag if there is none; they do not
  /// chain. Of several effects on a tag, disabled wins over inactive, and inactive over active. If no tag is active
  /// then, the default tag is, unless it is disabled.
  ///
  /// - Parameter active: The active tags, such as those of the unit before the caret.
  public func states(active: [String]) -> [String: State] {
    let sources = active.isEmpty ? [self.default] : active
    var (enabled, disabled, inactive) = (Set<String>(), Set<String>(), Set<String>())
    var activated = Set(sources)
    for source in sources {
      guard let effects = rules[source] else { continue }
      enabled.formUnion(effects.enables)
      disabled.formUnion(effects.disables)
      activated.formUnion(effects.activates)
      inactive.formUnion(effects.deactivates)
    }
    var states: [String: State] = [:]
    for tag in Set(tags).union(sources).union(enabled) {
      states[tag] =
        disabled.contains(tag)
        ? .disabled
        : inactive.contains(tag) ? .inactive : activated.contains(tag) ? .active : .inactive
    }
    if !states.values.contains(.active), states[self.default] != .disabled {
      states[self.default] = .active
    }
    return states
  }
}
