import EditModel
import Interchange
import TestSupport

/// Seeded files of Markdown: of all that blogs and notes have.
struct MarkdownGenerator {
  private var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  /// A number from 0 to below `bound`.
  mutating func below(_ bound: Int) -> Int { Int(random.next() % UInt64(bound)) }

  private mutating func pick(_ choices: [String]) -> String { choices[below(choices.count)] }

  /// A file of some blocks, with blank lines between some of them.
  mutating func file() -> String {
    var file = below(4) == 0 ? pick(["---\na: b\n---\n", "+++\na=1\n+++\n", "\u{FEFF}"]) : ""
    for _ in 0..<below(7) { file += pick(["", "\n", "\n", "\n", "\n\n", " \n"]) + block() }
    if below(6) == 0, file.hasSuffix("\n") { file.removeLast() }
    return file
  }

  private mutating func block() -> String {
    let kind = below(18)
    guard kind >= Self.blocks.count else { return pick(Self.blocks[kind]) }
    let isHeading = kind == Self.blocks.count
    let joints = isHeading ? [" "] : [" ", " ", "\n", "", "  \n", "\\\n"]
    let text = (0...below(4)).map { _ in pick(Self.inlines) }.joined(separator: pick(joints))
    return text + (isHeading ? pick(["\n===\n", "\n---\n"]) : "\n")
  }

  private static let blocks = [
    ["# H\n", "## H ##\n", "###### h\n", "#\n"], ["| a | b |\n|---|:-:|\n| 1 | 2 |\n"],
    [
      "- [ ] a\n- [x] b\n", "* a\n* b\n", "+ a\n  + b\n", "1. a\n2. b\n", "3) a\n4) b\n",
      "- a\n\n- b\n", "- a\n\n  p\n- b\n", "1. a\n   - b\n     continued\n",
    ],
    [
      "```js\nx\n\ny\n```\n", "~~~\na\n~~~\n", "````\n```\n````\n", "```\n```\n",
      "    code\n\n    more\n",
    ],
    [
      "<div>\n*x*\n</div>\n", "<!-- a\n\nb -->\n", "<pre>\n\nx\n</pre>\n", "<img src='x'>\n",
      "<?php ?>\n", "<hr/>\n",
    ],
    [
      "> a\n> b\n", "> # h\n> - x\n", ">> deep\n> less\n", "> ```\n> c\n> ```\n", "> a\nlazy\n",
      "> | a |\n> |---|\n",
    ],
    ["***\n", "---\n", "_ _ _\n"],
    [
      "[r]: http://r\n", "[s]: <a b> 'T'\n[t]: u\n", "[^1]: note\n", "[^2]: note\n    more\n",
    ],
    ["a | b\n--|--\n", "x\n| a |\n|---|\n| b |\n"],
  ]

  private static let inlines = [
    "word", "*em*", "_em_", "**b**", "__b__", "`c`", "[a](u)", "[a](<u v> \"t\")", "[r]", "[a][r]",
    "![p](s.png)", "![](s \"t\")", "[^1]", "<span>x</span>", "<!-- c -->", "&copy;", "\\*", "~~s~~",
    "==h==", "<http://a.b>", "https://x.y/a_b?c=d&e", "a<br>b", "<b>x</b>", "5 < 6", "# no", "- no",
    "1. no", "| pipe", "{{< sc >}}", "$x_1$", "Hello!", "C#", "**a *b* c**", "[![x](y)](z)", "\\[",
    "<u>x", "&amp", "==", "~", "`", "*",
  ]

  /// A text with more at some place of a paragraph, with the attributes of what is before it there.
  mutating func inserting(
    _ new: String, in text: AttributedText, _ paragraph: Int
  ) -> AttributedText {
    let units = text.text.units
    let attributes = text.runs.flatMap { Array(repeating: $0.attributes, count: $0.length) }
    let lines = units.split(separator: 0x0A, omittingEmptySubsequences: false)
    let line = lines[paragraph]
    let place = line.startIndex + below(line.count + 1)
    var edited = AttributedText()
    for index in units.indices.lowerBound...units.count {
      if index == place {
        edited.append(Array(new.utf16), attributes[max(line.startIndex, place - 1)])
      }
      if index < units.count { edited.append(units[index...index], attributes[index]) }
    }
    return edited
  }
}
