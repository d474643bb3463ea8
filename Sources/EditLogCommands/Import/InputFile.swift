import EditModel
import Glibc

/// Reads the input files of imports.
enum InputFile {
  /// The maximum size of an input file after unpacking, in bytes.
  static let sizeMax = 1 << 30

  /// The bytes of a file, unpacked if they are gzip data, whatever its name. `-` is standard input. A pipe is
  /// read to its end, and waited for until a program writes to it, unless the file must be a regular one.
  ///
  /// - Throws: `CommandError` if the file cannot be read, is damaged, or has more than `sizeMax`
  ///   bytes after unpacking.
  static func read(
    _ path: String, sizeMax: Int = sizeMax, mustBeRegular: Bool = false
  ) throws(CommandError) -> [UInt8] {
    let descriptor = try mustBeRegular ? openRegular(path) : open(path)
    defer { if path != "-" { close(descriptor) } }
    var file = PieceReader(descriptor: descriptor, path: path)
    let first = try file.next()
    return first.starts(with: [0x1F, 0x8B])
      ? try unpack(&file, first, sizeMax)
      : try readPlain(&file, first, sizeMax)
  }

  /// The bytes of a file as they are. `-` is standard input.
  ///
  /// - Throws: `CommandError` if the file cannot be read, or has more than `sizeMax` bytes.
  static func verbatim(_ path: String, sizeMax: Int) throws(CommandError) -> [UInt8] {
    let descriptor = try open(path)
    defer { if path != "-" { close(descriptor) } }
    var file = PieceReader(descriptor: descriptor, path: path)
    let first = try file.next()
    return try readPlain(&file, first, sizeMax)
  }

  /// Opens a file to be read. `-` is standard input, which the caller must not close.
  ///
  /// - Throws: `CommandError` if the file cannot be read.
  static func open(_ path: String) throws(CommandError) -> Int32 {
    let descriptor = path == "-" ? STDIN_FILENO : Glibc.open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw openError(path) }
    return descriptor
  }

  private static func openRegular(_ path: String) throws(CommandError) -> Int32 {
    // A pipe must not block.
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw openError(path) }
    var info = stat()
    guard fstat(descriptor, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw .data("\(path.shown): not a regular file")
    }
    return descriptor
  }

  private static func readPlain(
    _ file: inout PieceReader, _ first: [UInt8], _ sizeMax: Int
  ) throws(CommandError) -> [UInt8] {
    var (bytes, piece) = ([UInt8](), first)
    while !piece.isEmpty {
      guard piece.count <= sizeMax - bytes.count else { throw tooLong(file.path, sizeMax) }
      bytes += piece
      piece = try file.next()
    }
    return bytes
  }

  private static func unpack(
    _ file: inout PieceReader, _ first: [UInt8], _ sizeMax: Int
  ) throws(CommandError) -> [UInt8] {
    do {
      var inflater = try Inflater(sizeMax: sizeMax)
      var (bytes, piece) = ([UInt8](), first)
      while !piece.isEmpty {
        try inflater.unpack(piece, into: &bytes)
        piece = try file.next()
      }
      try inflater.finish()
      return bytes
    } catch let error as InflateError {
      throw describe(error, file.path)
    } catch let error as CommandError {
      throw error
    } catch {
      throw .internalError("\(file.path): \(error)")
    }
  }

  private static func describe(_ error: InflateError, _ path: String) -> CommandError {
    switch error {
    case .truncated: .data("\(path.shown): the gzip data is cut short; copy the file again")
    case .damaged(let what): .data("\(path.shown): the gzip data is damaged (\(what))")
    case .trailingBytes(let offset):
      .data("\(path.shown): bytes from \(offset) on, after the gzip data, are not gzip data")
    case .tooLong(let sizeMax): tooLong(path, sizeMax)
    case .outOfMemory: .io("\(path.shown): not enough memory to unpack it")
    }
  }

  private static func tooLong(_ path: String, _ sizeMax: Int) -> CommandError {
    .data("\(path.shown): longer than \(sizeMax) bytes, the maximum for an input file")
  }

  private static func openError(_ path: String) -> CommandError {
    let (code, reason) = (errno, String(cString: strerror(errno)))
    return code == EACCES
      ? .notPermitted("\(path.shown): \(reason)") : .notFound("\(path.shown): \(reason)")
  }
}

/// A file read in pieces of 64 KiB.
private struct PieceReader {
  let descriptor: Int32
  let path: String

  /// The next piece; empty at the end.
  mutating func next() throws(CommandError) -> [UInt8] {
    var code: Int32 = 0
    let piece = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
      var got = 0
      repeat {
        got = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
      } while got < 0 && errno == EINTR
      if got < 0 { code = errno }
      count = max(got, 0)
    }
    guard code == 0 else { throw .io("\(path.shown): \(String(cString: strerror(code)))") }
    return piece
  }
}
