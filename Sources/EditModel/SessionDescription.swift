/// What a client says about itself when its session begins. The author is a field of the event.
public struct SessionDescription: Sendable {
  /// The maximum size of a client's name, of its version and of a host's name, in bytes of UTF-8.
  public static let nameSizeMax = 256

  /// The program's name, such as `Neovim`: 1 to 256 bytes.
  public let client: String
  /// The program's version: 1 to 256 bytes.
  public let version: String?
  /// The name of the machine that the client runs on: 1 to 256 bytes.
  public let host: String?
  /// The client's process on that machine; not 0.
  public let process: UInt32?

  /// A description; nil if a name is empty or longer than 256 bytes, or the process is 0.
  public init?(
    client: String, version: String? = nil, host: String? = nil, process: UInt32? = nil
  ) {
    let names = [client, version, host].compactMap { $0 }
    guard names.allSatisfy({ (1...Self.nameSizeMax).contains($0.utf8.count) }), process != 0
    else { return nil }
    (self.client, self.version, self.host, self.process) = (client, version, host, process)
  }
}

extension SessionDescription: Hashable {
  /// True if all fields are equal. Names are compared by the bytes of their UTF-8 forms.
  public static func == (left: Self, right: Self) -> Bool {
    left.client.isExactly(right.client) && left.version.isExactly(right.version)
      && left.host.isExactly(right.host) && left.process == right.process
  }

  /// Feeds all fields to `hasher`.
  public func hash(into hasher: inout Hasher) {
    for name in [client, version ?? "", host ?? ""] { name.hashBytes(into: &hasher) }
    hasher.combine(process)
  }
}
