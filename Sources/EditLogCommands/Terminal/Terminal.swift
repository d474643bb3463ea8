import Glibc

/// Properties of the terminal, and variables of the environment.
enum Terminal {
  /// True if the descriptor is a terminal.
  static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Columns of the terminal: `COLUMNS`, else what the terminal says, else 80. Nil if the descriptor is not
  /// a terminal.
  static func width(
    _ descriptor: Int32, _ environment: (String) -> String? = environment
  ) -> Int? {
    guard isTerminal(descriptor) else { return nil }
    if let columns = environment("COLUMNS").flatMap({ Int($0) }), columns > 0 { return columns }
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// The value of an environment variable; nil if it is not set, or empty.
  static func environment(_ name: String) -> String? {
    variable(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// The value of an environment variable, which may be empty; nil if it is not set.
  static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// True if output is coloured. `--color` decides first, then `NO_COLOR`, then `CLICOLOR_FORCE`,
  /// then whether the output is a terminal other than `dumb`.
  static func isColoured(
    _ choice: ColorChoice, isTerminal: Bool, _ environment: (String) -> String? = environment
  ) -> Bool {
    switch choice {
    case .always: true
    case .never: false
    case .auto where environment("NO_COLOR") != nil: false
    case .auto where environment("CLICOLOR_FORCE").map({ $0 != "0" }) ?? false: true
    case .auto: isTerminal && environment("TERM") != "dumb"
    }
  }
}

/// When to use colours.
enum ColorChoice: String, CaseIterable, Sendable {
  case auto, always, never
}
