/// The addresses that a rendered text may lead to.
enum LinkAddress {
  /// UTF-8 bytes of an address, at most.
  private static let sizeMax = 2_048

  /// True for addresses of the web and of mail, without characters that end an attribute or a line.
  static func isSafe(_ address: String) -> Bool {
    guard address.utf8.count <= sizeMax else { return false }
    let lowered = address.lowercased()
    return ["http://", "https://", "mailto:"].contains { lowered.hasPrefix($0) }
      && address.unicodeScalars.allSatisfy { $0.value > 0x20 && !(0x7F...0x9F ~= $0.value) }
  }
}
