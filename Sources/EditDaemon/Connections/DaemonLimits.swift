import EditProtocol

/// What one daemon takes on, checked before memory is taken.
package struct DaemonLimits: Sendable {
  /// Bytes in the largest frame.
  package var frameSizeMax = FrameDecoder.defaultFrameSizeMax
  /// Bytes in flight of all connections.
  package var bytesInFlightMax = 256 << 20
  /// Bytes in flight of one connection. A frame that needs more is let in alone.
  package var connectionBytesMax = 16 << 20
  /// Connections at a time.
  package var connectionCountMax = 1_024
  /// Connections beyond those that may still read why they are refused.
  package var leavingCountMax = 64
  /// Milliseconds for a connection's first message.
  package var firstMessageMilliseconds: Int64 = 5_000
  /// Milliseconds from a frame's first byte to its last, waiting for room aside.
  package var frameMilliseconds: Int64 = 30_000
  /// Questions that are answered at a time, of all connections and of one.
  package var questionCountMax = 4
  package var connectionQuestionCountMax = 2
  /// Milliseconds that a stop may take to finish and seal what is under way.
  package var stopMilliseconds: Int64 = 1_200
  /// Bytes of answers that wait in files.
  package var answerFileBytesMax = 1 << 30

  package init() {}

  /// Bytes that the answers to small questions may always take.
  static let smallAnswerSize = 1 << 20
  /// Bytes that a connection may always have in flight, at most.
  private static let ownBytesMax = 128 << 10

  /// Bytes that each connection may always have in flight: together half of all.
  var ownBytes: Int {
    max(1, min(Self.ownBytesMax, bytesInFlightMax / 2 / max(1, connectionCountMax)))
  }

  /// Bytes that connections share beyond those, and beyond the small answers.
  var sharedBytes: Int {
    let reserved = ownBytes * connectionCountMax + questionCountMax * Self.smallAnswerSize
    return max(bytesInFlightMax / 4, bytesInFlightMax - reserved)
  }

  /// The most that a frame takes from its announcement until its answer is taken: itself, its
  /// text as the edits have it, and the answer.
  static func cost(ofFrame size: Int) -> Int { 3 * size + 512 }
}
