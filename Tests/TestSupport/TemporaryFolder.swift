import Glibc

/// A private folder with a short path, removed with all that is in it when nobody holds it any
/// more.
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let path: String

  /// Makes a new folder under /tmp: a socket's path has little room.
  public init() {
    var template = Array("/tmp/el-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress) != nil }
    precondition(made, "no folder for a test: errno \(errno)")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    nftw(path, { path, _, _, _ in path.map { remove($0) } ?? 0 }, 16, FTW_DEPTH | FTW_PHYS)
  }

  /// The path of a name in it.
  public func path(_ name: String) -> String { "\(path)/\(name)" }
}
