/// Whether a search ignores case: as in less and vim, it does until the pattern has a capital letter.
package enum SearchCase {
  /// True if a pattern has no capital letter. A letter after a backslash does not count: `\S` is no S.
  package static func isIgnored(by pattern: String) -> Bool {
    var isEscaped = false
    for scalar in pattern.unicodeScalars {
      if !isEscaped, scalar.properties.isUppercase { return false }
      isEscaped = !isEscaped && scalar == "\\"
    }
    return true
  }
}
