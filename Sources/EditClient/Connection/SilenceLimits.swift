/// How long a client waits for a daemon that sends nothing.
///
/// Each byte from the daemon counts as a sign of life, and so does its answer to a ping, which goes over
/// another connection: a daemon that works on a long question, or that makes a client wait for its turn,
/// answers it.
public struct SilenceLimits: Sendable {
  /// How long the daemon may give no sign of life while an answer is awaited. Then the connection ends,
  /// and what waits fails with `unresponsive`. At least a millisecond.
  public var silenceMax: Duration
  /// How long no byte of an answer may come before `onSilence` is called.
  public var noteDelay: Duration
  /// Called at most once for each connection, on its event loop; must not block.
  public var onSilence: (@Sendable (_ socket: String) -> Void)?

  /// Limits, by default of ten seconds.
  public init(
    silenceMax: Duration = .seconds(10), noteDelay: Duration = .seconds(2),
    onSilence: (@Sendable (_ socket: String) -> Void)? = nil
  ) {
    self.silenceMax = max(silenceMax, .milliseconds(1))
    (self.noteDelay, self.onSilence) = (noteDelay, onSilence)
  }

  /// These limits, without a note.
  package var quiet: SilenceLimits {
    SilenceLimits(silenceMax: silenceMax, noteDelay: noteDelay)
  }
}
