import Glibc
import TestSupport

/// Many hostile connections in one thread. Each that ends is followed by another.
struct HostileFlock {
  private let socket: String
  private let mix: HostileMix
  private let count: Int
  private var random: SplitMix64
  private var clients: [HostileClient] = []
  private var endedCount = 0
  private var scratch = [UInt8](repeating: 0, count: 64 << 10)

  init(socket: String, mix: HostileMix, count: Int, random: SplitMix64) {
    (self.socket, self.mix, self.count, self.random) = (socket, mix, count, random)
  }

  /// Returns how many connections ended before.
  @discardableResult
  mutating func run(until end: UInt64) -> Int {
    while nanoseconds() < end {
      fill()
      turn()
    }
    for client in clients { close(client.descriptor) }
    clients = []
    return endedCount
  }

  /// Makes as many connections as are missing; a few at a time, since the listener's queue is
  /// short.
  private mutating func fill() {
    for _ in 0..<min(50, count - clients.count) {
      guard let descriptor = connectedSocket(to: socket, waits: false) else { return }
      clients.append(HostileClient(mix.kind(&random), descriptor, &random))
    }
  }

  /// Lets each do what it can do now.
  private mutating func turn() {
    let start = nanoseconds()
    var polled = clients.map { client in
      var events = Int16(client.reads ? POLLIN : 0)
      if client.wantsToSend(start) { events |= Int16(POLLOUT) }
      return pollfd(fd: client.descriptor, events: events, revents: 0)
    }
    _ = poll(&polled, nfds_t(polled.count), 20)
    let now = nanoseconds()
    var over: [Int] = []
    for index in clients.indices {
      let events = Int32(polled[index].revents)
      var isOver = clients[index].isOver(now) || events & Int32(POLLERR | POLLHUP) != 0
      if !isOver, events & Int32(POLLOUT) != 0 { isOver = !clients[index].send(now) }
      if !isOver, events & Int32(POLLIN) != 0 { isOver = !clients[index].readAway(&scratch) }
      if isOver { over.append(index) }
    }
    endedCount += over.count
    for index in over.reversed() {
      close(clients[index].descriptor)
      clients.remove(at: index)
    }
    // Those that send as fast as they can leave the machine to others now and then.
    usleep(1_000)
  }
}
