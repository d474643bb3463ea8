import CZlib
import Glibc
import Subprocess

/// Runs `body` with the path of a file that holds `bytes`.
func withTemporaryFile(_ bytes: [UInt8], _ body: (String) async throws -> Void) async throws {
  try await withTemporaryDirectory { directory in
    let path = directory + "/file"
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    defer { close(file) }
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
      guard count > 0 else { throw CreateError(code: errno) }
      rest = rest.dropFirst(count)
    }
    try await body(path)
  }
}

/// Runs `body` with the path of a directory of its own.
func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
  var template = Array("/tmp/editlog-test.XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw CreateError(code: errno) }
  let directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  do { try await body(directory) } catch {
    try await run("rm", ["-rf", directory])
    throw error
  }
  try await run("rm", ["-rf", directory])
}

/// Runs a program, which must succeed.
func run(_ program: String, _ arguments: [String]) async throws {
  let result = try await Subprocess.run(
    .name(program), arguments: Arguments(arguments), output: .discarded,
    error: .string(limit: 10_000))
  guard result.terminationStatus.isSuccess else { throw RunError(message: result.standardError) }
}

struct RunError: Error {
  let message: String?
}

struct CreateError: Error {
  let code: Int32
}

/// A member of a gzip file.
func gzip(_ bytes: [UInt8]) -> [UInt8] {
  var stream = z_stream()
  guard
    deflateInit2_(
      &stream, 9, Z_DEFLATED, 16 + 15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size)) == Z_OK
  else { return [] }
  defer { deflateEnd(&stream) }
  var (input, output) = (bytes, [UInt8](repeating: 0, count: bytes.count + 1000))
  let count = input.withUnsafeMutableBufferPointer { source in
    output.withUnsafeMutableBufferPointer { target in
      (stream.next_in, stream.avail_in) = (source.baseAddress, UInt32(source.count))
      (stream.next_out, stream.avail_out) = (target.baseAddress, UInt32(target.count))
      _ = deflate(&stream, Z_FINISH)
      return Int(stream.total_out)
    }
  }
  return Array(output.prefix(count))
}
