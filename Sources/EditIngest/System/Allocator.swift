import Glibc
import NIOCore
import NIOPosix

/// Settings of the C library's allocator that limit the free memory that it keeps.
///
/// The module Glibc does not have the functions of `malloc.h`, so they are looked up by name. If the C
/// library lacks them, nothing is done.
package enum Allocator {
  private typealias Set = @convention(c) (Int32, Int32) -> Int32
  private typealias Trim = @convention(c) (Int) -> Int32

  /// Returns large blocks to the system as soon as they are freed, and lets few threads have their own
  /// heap. Without it, the process keeps the memory of its peak.
  package static func configure() {
    guard let symbol = dlsym(nil, "mallopt") else { return }
    // Its type in malloc.h.
    let set = unsafeBitCast(symbol, to: Set.self)
    let (arenaMax, mmapThreshold): (Int32, Int32) = (-8, -3)
    _ = set(arenaMax, 4)
    _ = set(mmapThreshold, 256 << 10)
  }

  /// Returns free memory to the system, now and 2 s later: the memory of a connection is freed a moment
  /// after its bytes are released.
  package static func trim() {
    trimOnce()
    _ = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .seconds(2)) { trimOnce() }
  }

  /// Runs on another thread, because it may take some time.
  private static func trimOnce() {
    guard let symbol = dlsym(nil, "malloc_trim") else { return }
    let address = UInt(bitPattern: symbol)
    NIOThreadPool.singleton.submit { _ in
      // Its type in malloc.h.
      guard let symbol = UnsafeMutableRawPointer(bitPattern: address) else { return }
      _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }
  }
}
