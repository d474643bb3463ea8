public import NIOCore

/// The bytes that the editor sends: the bridge's standard input, or a test's.
public protocol BridgeInput: Sendable {
  /// The next bytes, as soon as there are any; nil at the end. Called by one reader.
  func read() async throws -> ByteBuffer?
  /// From now on only what has already arrived is read: the editor has ended, or ends the bridge.
  /// Called at any time, from any thread.
  func stop()
  /// True after `stop()`, and if the other side has closed: nothing more will arrive.
  var isEnding: Bool { get }
}

/// What goes to the editor.
public protocol BridgeOutput: Sendable {
  /// Writes all of the bytes. Calls may overlap; the bytes of each stay together.
  func write(_ bytes: ByteBuffer) async throws
}
