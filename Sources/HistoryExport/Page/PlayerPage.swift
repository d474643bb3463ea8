import EditModel
import EditProtocol

/// The page that replays a history: one file of HTML, which asks for no other.
///
/// Its policy (`Content-Security-Policy`) allows the script and the styles that it has, by their hashes, and
/// nothing else. Text from the history is in the compressed columns and, with `<`, `>`, `&` and quotation
/// marks escaped, in the title; the script writes it into the page as text only.
public enum PlayerPage {
  /// The page of a history. O(size of the data).
  ///
  /// - Parameters:
  ///   - title: The document's name.
  ///   - data: The bytes of `PlayerHistory`.
  /// - Returns: The page in UTF-8.
  public static func html(title: String, data: [UInt8]) -> [UInt8] {
    let script = [PackageResources.model_js, PackageResources.view_js, PackageResources.player_js]
      .map(stripped).joined()
    let style = stripped(PackageResources.player_css)
    let values = [
      "script-hash": hash(script), "style-hash": hash(style), "style": style, "script": script,
      "version": EditLogVersion.current, "title": escaped(title), "data": Base64.encode(data),
    ]
    var (page, rest) = ([UInt8](), PackageResources.page_html[...])
    page.reserveCapacity(data.count / 3 * 4 + 200_000)
    while let start = rest.firstIndex(of: UInt8(ascii: "{")) {
      page += rest[..<start]
      let end = rest[start...].firstIndex(of: UInt8(ascii: "}")) ?? rest.endIndex
      let name = String(decoding: rest[start..<end].drop { $0 == UInt8(ascii: "{") }, as: UTF8.self)
      page += (values[name] ?? "").utf8
      rest = rest[end...].drop { $0 == UInt8(ascii: "}") }
    }
    return page + rest
  }

  /// A source without the white space before its lines, and without lines that are comments.
  private static func stripped(_ source: [UInt8]) -> String {
    var (result, isInComment) = ("", false)
    for line in source.split(separator: UInt8(ascii: "\n")) {
      let text = String(decoding: line.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
      if text.hasPrefix("/**") { isInComment = true }
      if !isInComment, !text.hasPrefix("//"), !text.isEmpty { result += text + "\n" }
      if text.hasSuffix("*/") { isInComment = false }
    }
    return result
  }

  private static func hash(_ text: String) -> String {
    Base64.encode(SHA256.hash(Array(text.utf8)))
  }

  /// Text that is safe between tags. Controls and surrogates become U+FFFD.
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.reduce(into: "") { result, scalar in
      switch scalar {
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "&": result += "&amp;"
      case "\"": result += "&quot;"
      case _ where scalar.properties.generalCategory == .control: result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
  }
}
