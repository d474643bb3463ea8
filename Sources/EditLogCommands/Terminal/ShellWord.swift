extension String {
  /// The text as one word of a shell's command line.
  var shellWord: String {
    let isPlain = utf8.allSatisfy { byte in
      let scalar = Unicode.Scalar(byte)
      return scalar.isASCII
        && (scalar.properties.isAlphabetic
          || "0123456789_./:=@%+,-".unicodeScalars.contains(scalar))
    }
    return isEmpty || !isPlain ? shellQuoted : self
  }

  /// The text between the quotes of a shell, plain or not.
  var shellQuoted: String {
    "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
