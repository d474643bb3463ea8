import ArgumentParser
import EditModel

/// A command line that a shell completes.
struct CompletionLine: Hashable, Sendable {
  /// The word to complete, without quotes.
  let word: String
  /// The words after the verb that are neither options nor the word to complete, without quotes.
  let otherWords: [String]
  /// Where the command line looks for histories.
  let location: Location
  private let shell: CompletionShell?

  /// The number of candidates that a shell gets.
  static let candidateMax = 1_000

  /// The line of these words, as the shell has them, whose word at `index` is completed.
  init(
    _ words: [String], at index: Int, for shell: CompletionShell? = CompletionShell.requesting
  ) {
    self.shell = shell
    let before = words.prefix(max(0, index)).map(Self.unquoted)
    word = Self.unquoted(words.indices.contains(index) ? words[index] : "")
    let after = words.dropFirst(max(0, index) + 1).map(Self.unquoted)
    location = Location(
      socket: Self.value(of: "--socket", in: before + after),
      store: Self.value(of: "--store", in: before + after))
    otherWords = (before.dropFirst(2) + after).filter { !$0.isEmpty && !$0.hasPrefix("-") }
  }

  /// The candidates that begin with the word, as the shell reads them.
  func offer(_ candidates: [String]) -> [String] {
    candidates.lazy.filter { $0.hasPrefix(word) }.prefix(Self.candidateMax).map { candidate in
      switch shell {
      // bash expands candidates like words that are typed.
      case .bash?: candidate.shellQuoted
      // zsh takes what is after a colon for a description.
      case .zsh?:
        candidate.reduce(into: "") { $0 += $1 == ":" || $1 == "\\" ? "\\\($1)" : String($1) }
      default: candidate
      }
    }
  }

  private static func value(of option: String, in words: [String]) -> String? {
    for (index, word) in words.enumerated() {
      if word.hasPrefix(option + "=") { return String(word.dropFirst(option.count + 1)) }
      if word == option, index + 1 < words.count { return words[index + 1] }
    }
    return nil
  }

  /// A word without the quotes and backslashes of a shell. A quote that is not closed yet ends with
  /// the word.
  private static func unquoted(_ word: String) -> String {
    var (result, quote, isEscaped) = ("", Character?.none, false)
    for character in word {
      switch character {
      case _ where isEscaped:
        if quote == "\"", character != "\"", character != "\\", character != "$" { result += "\\" }
        result.append(character)
        isEscaped = false
      case "\\" where quote != "'": isEscaped = true
      case "'", "\"":
        if quote == nil {
          quote = character
        } else if quote == character {
          quote = nil
        } else {
          result.append(character)
        }
      default: result.append(character)
      }
    }
    return result
  }
}
