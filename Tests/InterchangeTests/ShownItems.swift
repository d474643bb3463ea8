import EditModel
import Interchange

extension AttributedText {
  /// The paragraphs, each with its level and `.` or `-` if it is an item of a list, and with the number
  /// that it gives: `a:1.=5,b:2-,text`.
  var shownItems: String {
    let units = text.units
    let attributes = runs.flatMap { Array(repeating: $0.attributes, count: $0.length) }
    var (shown, start): ([String], Int) = ([], 0)
    for line in units.split(separator: 0x0A, omittingEmptySubsequences: false) {
      let own = start < attributes.count ? attributes[start] : .empty
      start += line.count + 1
      var item = String(decoding: line, as: UTF16.self)
      if case .integer(let level)? = own["ordered-item"] { item += ":\(level)." }
      if case .integer(let level)? = own["list-item"] { item += ":\(level)-" }
      if case .integer(let number)? = own["ordered-start"] { item += "=\(number)" }
      shown.append(item)
    }
    return shown.joined(separator: ",")
  }

  /// The text without what it says of its file, so that it is written as usual.
  var unspelled: AttributedText {
    let (units, runs) = (text.units, runs)
    var (result, start) = (AttributedText(), 0)
    for run in runs {
      result.append(
        units[start..<start + run.length], run.attributes.removing(["markdown-source"]))
      start += run.length
    }
    return result
  }
}
