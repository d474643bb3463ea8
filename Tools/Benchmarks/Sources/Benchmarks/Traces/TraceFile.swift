import EditLogCommands
import Foundation

/// Finding and unpacking trace files.
enum TraceFile {
  /// The trace files of a folder by name; the path itself where it is a file.
  static func paths(in folder: String) throws -> [String] {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
      throw CommandError.notFound("\(folder): no such file or folder")
    }
    guard isFolder.boolValue else { return [folder] }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let paths = names.filter { $0.hasSuffix(".json") || $0.hasSuffix(".json.gz") }.sorted()
    guard !paths.isEmpty else { throw CommandError.notFound("no traces in \(folder)") }
    return paths.map { "\(folder)/\($0)" }
  }

  /// Bytes that the file takes on disk.
  static func size(of path: String) -> Int {
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return (attributes?[.size] as? NSNumber)?.intValue ?? 0
  }

  /// The bytes of a file, unpacked where its name ends in `.gz`.
  static func bytes(of path: String) throws -> [UInt8] {
    guard path.hasSuffix(".gz") else {
      return Array(try Data(contentsOf: URL(fileURLWithPath: path)))
    }
    let gzip = Process()
    gzip.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    gzip.arguments = ["gzip", "-dc", "--", path]
    let output = Pipe()
    gzip.standardOutput = output
    try gzip.run()
    let data = try output.fileHandleForReading.readToEnd()
    gzip.waitUntilExit()
    guard gzip.terminationStatus == 0, let data else {
      throw CommandError.data("\(path): gzip cannot unpack it")
    }
    return Array(data)
  }
}
