import Synchronization

/// Digests that were seen, shared by all threads.
final class DigestSet: Sendable {
  private let parts: [Part] = (0..<16).map { _ in Part() }

  private final class Part: Sendable {
    let digests = Mutex<Set<UInt64>>([])
  }

  /// True if the digest is new.
  func insert(_ digest: UInt64) -> Bool {
    parts[Int(digest >> 60)].digests.withLock { $0.insert(digest).inserted }
  }
}
