import EditJSON
import EditModel

/// What was done, and the file that was written.
struct WrittenFile<Answer: Hashable & Sendable>: Hashable, Sendable {
  var answer: Answer
  /// The file, as on the command line.
  var path: String
}

extension Codec {
  /// The members of the answer, and `file`.
  static func writtenFile<Answer: Hashable & Sendable>(
    _ answer: Codec<Answer>
  ) -> Codec where Value == WrittenFile<Answer> {
    Codec(
      { WrittenFile(answer: $0, path: $1) }, .group(\.answer, answer),
      .required("file", \.path, .string))
  }
}

extension Session {
  /// Prints what was done, with the document's file if it was written.
  func printJSON<Answer: Hashable & Sendable>(
    _ answer: Answer, _ codec: Codec<Answer>, writing file: DocumentFile?
  ) throws {
    guard let file else { return try printJSON(answer, codec) }
    try printJSON(WrittenFile(answer: answer, path: file.argument), .writtenFile(codec))
  }
}

extension DocumentFile? {
  /// The end of a message about a change, if the file was written.
  var alsoIn: String { map { ", also in \($0.argument.shown)" } ?? "" }
}
