import ArgumentParser
import EditModel
import TestSupport
import Testing

@testable import EditLogCommands

/// What shells are offered.
@Suite struct CompletionLineTests {
  @Test func `a word is read without its quotes`() {
    for (typed, word) in [
      ("my\\ no", "my no"), ("'my no", "my no"), ("\"my no", "my no"), ("\"a\\\"b\\x", "a\"b\\x"),
      ("'it'\\''s", "it's"), ("", ""), ("\\", ""),
    ] {
      #expect(CompletionLine(["editlog", "log", typed], at: 2, for: .zsh).word == word, "\(typed)")
    }
  }

  @Test func `the place of the histories and the other words are found`() {
    let line = CompletionLine(
      ["editlog", "show", "'my notes'", "--store=/s", "--at", "mar"], at: 5, for: .fish)
    #expect(line.location == .store("/s") && line.otherWords == ["my notes"])
    #expect(line.word == "mar")
    let socket = CompletionLine(["editlog", "log", "", "--socket", "/s x"], at: 2, for: .zsh)
    #expect(socket.location == .socket("/s x"))
    #expect(CompletionLine([], at: 7, for: nil).word == "")
    #expect(CompletionLine(["editlog"], at: -1, for: .bash).otherWords == [])
  }

  /// A candidate is one word for each shell, whatever is in the name.
  @Test func `candidates are quoted for the shell`() {
    let names = ["it's $(x)", "a:b\\c", "zzz"]
    func offer(_ shell: CompletionShell) -> [String] {
      CompletionLine(["editlog", "log", ""], at: 2, for: shell).offer(names)
    }
    #expect(offer(.bash) == [#"'it'\''s $(x)'"#, #"'a:b\c'"#, "'zzz'"])
    #expect(offer(.zsh) == ["it's $(x)", #"a\:b\\c"#, "zzz"])
    #expect(offer(.fish) == names)
    #expect(CompletionLine(["editlog", "log", "zz"], at: 2, for: .fish).offer(names) == ["zzz"])
  }

  @Test func `the words of schema are offered`() {
    func offer(_ words: String...) -> [String] {
      SchemaCommand.offer(["editlog", "schema"] + words, at: words.count + 1)
    }
    #expect(offer("bl") == ["blame"] && offer("import", "mark") == ["markdown"])
    #expect(offer("").count { $0 == "import" } == 1 && offer("blame", "") == [])
  }

  /// Each `@NAME` of its source was replaced by what it stands for.
  @Test func `the script of bash knows the verbs and the options before them`() {
    let script = BashCompletion.ending
    #expect(!script.contains(/@[A-Z]/))
    for word in ["--head|--socket", "documents", "markdown", "import|project", "always"] {
      #expect(script.contains(word), "\(word)")
    }
  }

  @Test func `only the script of bash has an ending of its own`() {
    #expect(BashCompletion.isAsked(["editlog", "--generate-completion-script", "bash"]))
    #expect(BashCompletion.isAsked(["editlog", "--generate-completion-script=bash"]))
    #expect(!BashCompletion.isAsked(["editlog", "--generate-completion-script", "zsh"]))
    #expect(!BashCompletion.isAsked(["editlog", "log", "bash"]))
  }

  @Test func `documents, marks and points are offered without a daemon`() async throws {
    var script = HistoryScript()
    try script.type("abc", at: 0)
    script.note(.mark(label: "draft", at: 3))
    let store = try RealStore(script.entries, document: "my essay")
    try store.append(script.entries, to: "other\n")
    func line(_ words: [String]) -> CompletionLine {
      let words = ["editlog", "show", "--store", store.path] + words
      return CompletionLine(words, at: words.count - 1, for: .fish)
    }
    let documents = line([""])
    #expect(
      documents.offer(await DynamicCompletion.documents(documents)) == [
        "my essay", #""other\n""#,
      ])
    let points = line(["my\\ essay", "--at", "m"])
    #expect(points.offer(await DynamicCompletion.marks(points)) == ["mark:draft"])
    let none = line(["nothing", "--at", ""])
    #expect(await DynamicCompletion.marks(none) == [])
    #expect(none.offer(DynamicCompletion.pointSamples).first == "latest")
    let away = CompletionLine(["editlog", "log", "", "--socket", "/nowhere"], at: 2, for: .fish)
    #expect(await DynamicCompletion.documents(away) == [])
  }
}
