import NIOCore

/// Which bridges of editors are connected. A bridge outlives its connections: after a restart of the
/// daemon it connects again.
struct Bridges {
  /// The time after which a bridge without a connection counts as ended. A living one connects again in
  /// at most a second.
  static let patience = TimeAmount.seconds(5)

  private var connections: [EditorKey: Int] = [:]
  /// When the last connection of a bridge ended.
  private var ends: [EditorKey: NIODeadline] = [:]

  mutating func connect(_ key: EditorKey) {
    connections[key, default: 0] += 1
    ends[key] = nil
  }

  mutating func disconnect(_ key: EditorKey, at time: NIODeadline = .now()) {
    guard let count = connections[key] else { return }
    connections[key] = count > 1 ? count - 1 : nil
    if count == 1 { ends[key] = time }
  }

  /// Nil, or what is wrong: a bridge is connected or has ended, not both.
  func invariantViolation() -> String? {
    connections.contains { $0.value < 1 || ends[$0.key] != nil }
      ? "a bridge is connected and has ended" : nil
  }

  mutating func forget(_ key: EditorKey) { (connections[key], ends[key]) = (nil, nil) }

  /// True if the bridge is connected, or was less than `patience` ago; and for any other editor, which ends
  /// with its connection.
  func isPresent(_ key: EditorKey, at time: NIODeadline = .now()) -> Bool {
    guard case .bridge = key else { return true }
    return connections[key] != nil || ends[key].map { time < $0 + Self.patience } ?? false
  }
}
