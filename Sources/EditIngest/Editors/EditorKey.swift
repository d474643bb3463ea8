package import EditModel

/// The sender of an editor's messages: a connection, or the run of a bridge, which outlives its
/// connections.
package enum EditorKey: Hashable, Sendable {
  case connection(Int)
  case bridge(SessionID)
}
