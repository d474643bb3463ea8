/// Text in XML and HTML.
enum Markup {
  /// `text` with the characters that mean something in markup as references, in content and in quoted
  /// attribute values, and without those that XML 1.0 excludes.
  static func escaped(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\t", "\n": result.unicodeScalars.append(scalar)
      default:
        let isExcluded =
          scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value || scalar.value & 0xFFFE == 0xFFFE
        result.unicodeScalars.append(isExcluded ? "\u{FFFD}" : scalar)
      }
    }
    return result
  }
}
