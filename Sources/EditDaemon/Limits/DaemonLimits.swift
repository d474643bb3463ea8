package import EditJSON
import EditProtocol
import NIOCore

/// The limits of a daemon. They are checked before memory is allocated.
package struct DaemonLimits: Sendable {
  /// The size in bytes of the largest frame.
  package var frameSizeMax = FrameDecoder.defaultFrameSizeMax
  /// The depth and the number of values of a JSON message.
  package var json = JSON.Limits.request
  /// Bytes in flight of all connections.
  package var bytesInFlightMax = 256 << 20
  /// Bytes in flight of one connection. A frame that needs more is admitted alone.
  package var connectionBytesMax = 16 << 20
  /// The number of connections at a time.
  package var connectionCountMax = 1_024
  /// The number of refused connections that stay open for a moment, to read the error.
  package var leavingCountMax = 64
  /// The number from which on a descriptor is not used for a connection.
  package var descriptorMax = Int.max
  /// The number of subscriptions of one connection at a time.
  package var subscriptionCountMax = 64
  /// The number of subscriptions with changes of all connections.
  package var changeSubscriptionCountMax = 64
  /// Milliseconds until a connection's first message.
  package var firstMessageMilliseconds: Int64 = 5_000
  /// Milliseconds from a frame's first byte to its last, without the time in which it waits for memory.
  package var frameMilliseconds: Int64 = 30_000
  /// The number of questions that are answered at a time, for all connections and for one.
  package var questionCountMax = 4
  package var connectionQuestionCountMax = 2
  /// The number of questions that are answered at a time on this machine. More than processors would only
  /// delay each other, edits, and whatever else the machine does.
  var workingQuestionCountMax: Int { min(questionCountMax, max(2, System.coreCount)) }
  /// Milliseconds in which a stop finishes requests and seals documents.
  package var stopMilliseconds: Int64 = 1_200
  /// The total size in bytes of answers in files.
  package var answerFileBytesMax = 1 << 30

  package init() {}

  /// The bytes that the answer to a small question may use. They are not taken from the budget.
  static let smallAnswerSize = 1 << 20
  /// The maximum of `ownBytes`.
  private static let ownBytesMax = 128 << 10

  /// The bytes that each connection may always have in flight: for all connections half of
  /// `bytesInFlightMax`.
  var ownBytes: Int {
    max(1, min(Self.ownBytesMax, bytesInFlightMax / 2 / max(1, connectionCountMax)))
  }

  /// The bytes that connections share: all but those of each connection and of small answers.
  private var allSharedBytes: Int {
    let reserved = ownBytes * connectionCountMax + questionCountMax * Self.smallAnswerSize
    return max(bytesInFlightMax / 4, bytesInFlightMax - reserved)
  }

  /// The part of the shared bytes that only large answers use. They use no other part, so a series of them leaves
  /// memory for all other requests.
  var largeAnswerBytes: Int { allSharedBytes / 4 }

  /// The shared bytes for frames and for all other answers.
  var sharedBytes: Int { allSharedBytes - largeAnswerBytes }

  /// An answer with a larger bound is a large answer.
  var largeAnswerMin: Int { largeAnswerBytes / 4 }

  /// The maximum of the memory for one answer, by its upper bound, which is mostly several times what the
  /// answer needs. An answer that needs more than the budget is made alone.
  var answerSizeMax: Int { 8 * bytesInFlightMax }

  /// The maximum number of bytes for a frame, from its header until its answer is sent: the frame, the
  /// texts of its edits, and the answer.
  static func cost(ofFrame size: Int) -> Int { 3 * size + 512 }

  /// As `cost(ofFrame:)`, for the native dialect, where an edit takes fewer bytes than in memory.
  static func cost(ofNativeFrame size: Int) -> Int {
    cost(ofFrame: size) + min(size, nativeEditsSizeMax / nativeEditGrowth) * nativeEditGrowth
  }

  /// The bytes in memory for each byte of an edit without text, and the maximum for one batch.
  private static let (nativeEditGrowth, nativeEditsSizeMax) = (12, NativeBatch.editCountMax * 200)
}
