import Glibc
import NIOCore
import NIOPosix

/// What the C library's allocator keeps of memory that was given back.
///
/// `malloc.h` is not among what Swift sees of Glibc, so its functions are looked up by name; in
/// a library that lacks them nothing is done.
enum Allocator {
  private typealias Set = @convention(c) (Int32, Int32) -> Int32
  private typealias Trim = @convention(c) (Int) -> Int32

  /// Large blocks are the system's again as soon as they are freed, and few threads have a heap
  /// of their own: without it, the peak of a flood is kept for good.
  static func keepLittle() {
    guard let symbol = dlsym(nil, "mallopt") else { return }
    // The type that malloc.h gives it.
    let set = unsafeBitCast(symbol, to: Set.self)
    let (arenaMax, mmapThreshold): (Int32, Int32) = (-8, -3)
    _ = set(arenaMax, 4)
    _ = set(mmapThreshold, 256 << 10)
  }

  /// Gives free memory back to the system, now and 2 s later: what a connection held is freed a
  /// moment after its bytes are given back.
  static func trim() {
    trimOnce()
    _ = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: .seconds(2)) { trimOnce() }
  }

  /// Beside the event loops: it may take some time.
  private static func trimOnce() {
    guard let symbol = dlsym(nil, "malloc_trim") else { return }
    let address = UInt(bitPattern: symbol)
    NIOThreadPool.singleton.submit { _ in
      // The type that malloc.h gives it.
      guard let symbol = UnsafeMutableRawPointer(bitPattern: address) else { return }
      _ = unsafeBitCast(symbol, to: Trim.self)(0)
    }
  }
}
