public import NIOCore

/// What the editor sends: the bridge's standard input, or a test's.
public protocol BridgeInput: Sendable {
  /// The next bytes, as soon as there are any; nil at the end. Called by one reader.
  func read() async throws -> ByteBuffer?
  /// From now on only what has arrived already is read: the editor is gone, or wants the bridge
  /// to be. Called at any time, from anywhere.
  func stop()
  /// True after `stop()`, and where the other side has closed: no more is to come than what is
  /// there.
  var isEnding: Bool { get }
}

/// What goes to the editor.
public protocol BridgeOutput: Sendable {
  /// Writes all of the bytes. Calls do not overlap.
  func write(_ bytes: ByteBuffer) async throws
}
