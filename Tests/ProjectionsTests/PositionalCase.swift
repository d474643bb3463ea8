import Testing

/// A transaction after some others, and what it must do to paragraphs whose identity is
/// positional. Identifiers are numbered in the order of creation.
struct PositionalCase: Sendable, CustomTestStringConvertible {
  /// One edit: a replacement of units by text, or a change of attributes where there is no text.
  typealias Step = (location: Int, length: Int, text: String?)

  /// What is edited.
  let name: String
  /// The edits before, each a transaction of its own.
  let steps: [Step]
  /// The edits of the transaction.
  let edits: [Step]
  /// The paragraphs' identifiers after it.
  let ids: String
  /// The text after it.
  let text: String
  /// The callbacks of it.
  let callbacks: String

  var testDescription: String { name }
}

extension PositionalCase {
  /// Fifty numbers on a line each, appended one by one. Before a number that has a place in
  /// `insertions`, it is inserted there as well.
  private static func numbers(insertions: [Int: Int] = [:]) -> [Step] {
    var (steps, length): ([Step], Int) = ([], 0)
    func add(_ location: Int, _ text: String) {
      steps.append((location, 0, text))
      length += text.utf16.count
    }
    for number in 0..<50 {
      if let location = insertions[number] {
        add(location, "\n")
        add(location, "\(number)")
      }
      add(length, "\(number)")
      add(length, "\n")
    }
    return steps
  }

  /// What editing the reference storage was seen to do: its known test cases.
  static let reference: [PositionalCase] = [
    PositionalCase(
      name: "insert first paragraphs",
      steps: [],
      edits: [(0, 0, "First paragraph\nSecond paragraph")],
      ids: "p0 p1",
      text: "First paragraph\nSecond paragraph",
      callbacks: """
        didEdit 0 p0 {0, 16}, didAdd 1 p1 {16, 16}, shouldSetStyle 0 p0 {0, 16}, \
        shouldSetStyle 1 p1 {16, 16}
        """),
    PositionalCase(
      name: "insert empty at beginning",
      steps: [(0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")],
      edits: [(0, 0, "\n")],
      ids: "p0 p3 p1 p2",
      text: "\nFirst paragraph\nSecond paragraph\nThirdParagraph",
      callbacks: "didEdit 0 p0 {0, 1}, didAdd 1 p3 {1, 16}, shouldSetStyle 0 p0 {0, 1}"),
    PositionalCase(
      name: "insert nonempty at beginning",
      steps: [(0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")],
      edits: [(0, 0, "\naddition")],
      ids: "p0 p3 p1 p2",
      text: "\nadditionFirst paragraph\nSecond paragraph\nThirdParagraph",
      callbacks: """
        didEdit 0 p0 {0, 1}, didAdd 1 p3 {1, 24}, shouldSetStyle 0 p0 {0, 1}, \
        shouldSetStyle 1 p3 {1, 24}
        """),
    PositionalCase(
      name: "insert empty in middle",
      steps: [(0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")],
      edits: [(3, 5, "\n")],
      ids: "p0 p3 p1 p2",
      text: "Fir\nragraph\nSecond paragraph\nThirdParagraph",
      callbacks: "didEdit 0 p0 {0, 4}, didAdd 1 p3 {4, 8}, shouldSetStyle 0 p0 {0, 4}"),
    PositionalCase(
      name: "insert nonempty in middle",
      steps: [(0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")],
      edits: [(3, 5, "\naddition")],
      ids: "p0 p3 p1 p2",
      text: "Fir\nadditionragraph\nSecond paragraph\nThirdParagraph",
      callbacks: """
        didEdit 0 p0 {0, 4}, didAdd 1 p3 {4, 16}, shouldSetStyle 0 p0 {0, 4}, \
        shouldSetStyle 1 p3 {4, 16}
        """),
    PositionalCase(
      name: "insert empty between paragraphs",
      steps: [(0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")],
      edits: [(16, 0, "\n")],
      ids: "p0 p1 p3 p2",
      text: "First paragraph\n\nSecond paragraph\nThirdParagraph",
      callbacks: "didEdit 1 p1 {16, 1}, didAdd 2 p3 {17, 17}, shouldSetStyle 1 p1 {16, 1}"),
    PositionalCase(
      name: "insert nonempty between paragraphs",
      steps: [(0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")],
      edits: [(16, 0, "addition\n")],
      ids: "p0 p1 p3 p2",
      text: "First paragraph\naddition\nSecond paragraph\nThirdParagraph",
      callbacks: "didEdit 1 p1 {16, 9}, didAdd 2 p3 {25, 17}, shouldSetStyle 1 p1 {16, 9}"),
    PositionalCase(
      name: "insert empty at end",
      steps: [(0, 0, "First paragraph\nSecond paragraph\nThird")],
      edits: [(38, 0, "\n")],
      ids: "p0 p1 p2 p3",
      text: "First paragraph\nSecond paragraph\nThird\n",
      callbacks: "didEdit 2 p2 {33, 6}, didAdd 3 p3 {39, 0}, shouldSetStyle 2 p2 {33, 6}"),
    PositionalCase(
      name: "insert nonempty at end",
      steps: [(0, 0, "First paragraph\nSecond paragraph\nThird")],
      edits: [(38, 0, "\naddition")],
      ids: "p0 p1 p2 p3",
      text: "First paragraph\nSecond paragraph\nThird\naddition",
      callbacks: """
        didEdit 2 p2 {33, 6}, didAdd 3 p3 {39, 8}, shouldSetStyle 2 p2 {33, 6}, \
        shouldSetStyle 3 p3 {39, 8}
        """),
    PositionalCase(
      name: "edit first paragraph",
      steps: [],
      edits: [(0, 0, "First paragraph")],
      ids: "p0",
      text: "First paragraph",
      callbacks: "didEdit 0 p0 {0, 15}, shouldSetStyle 0 p0 {0, 15}"),
    PositionalCase(
      name: "edit paragraph at beginning",
      steps: [(0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")],
      edits: [(0, 0, "addition")],
      ids: "p0 p1 p2",
      text: "additionFirst paragraph\nSecond paragraph\nThirdParagraph",
      callbacks: "didEdit 0 p0 {0, 24}, shouldSetStyle 0 p0 {0, 24}"),
    PositionalCase(
      name: "edit paragraph in middle",
      steps: [(0, 0, "First paragraph\nSecond paragraph")],
      edits: [(3, 5, "addition")],
      ids: "p0 p1",
      text: "Firadditionragraph\nSecond paragraph",
      callbacks: "didEdit 0 p0 {0, 19}, shouldSetStyle 0 p0 {0, 19}"),
    PositionalCase(
      name: "edit paragraph at end",
      steps: [(0, 0, "First paragraph\nSecond paragraph")],
      edits: [(32, 0, "addition")],
      ids: "p0 p1",
      text: "First paragraph\nSecond paragraphaddition",
      callbacks: "didEdit 1 p1 {16, 24}, shouldSetStyle 1 p1 {16, 24}"),
    PositionalCase(
      name: "edit empty paragraph at end",
      steps: [(0, 0, "First paragraph\nSecond paragraph\n")],
      edits: [(33, 0, "a")],
      ids: "p0 p1 p2",
      text: "First paragraph\nSecond paragraph\na",
      callbacks: "didEdit 2 p2 {33, 1}, shouldSetStyle 2 p2 {33, 1}"),
    PositionalCase(
      name: "delete paragraph in middle",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThird paragraph\nFourth paragraph")
      ],
      edits: [(15, 5, "")],
      ids: "p0 p2 p3",
      text: "First paragraphnd paragraph\nThird paragraph\nFourth paragraph",
      callbacks: "willDelete 1 p1 {16, 17}, didEdit 0 p0 {0, 28}"),
    PositionalCase(
      name: "delete paragraph at end",
      steps: [(0, 0, "First paragraph\nSecond paragraph\nThird paragraph")],
      edits: [(32, 5, "")],
      ids: "p0 p1",
      text: "First paragraph\nSecond paragraphd paragraph",
      callbacks: "willDelete 2 p2 {33, 15}, didEdit 1 p1 {16, 27}"),
    PositionalCase(
      name: "delete whole paragraph at beginning",
      steps: [(0, 0, "First paragraph\nSecond paragraph\nThird paragraph")],
      edits: [(0, 16, "")],
      ids: "p0 p2",
      text: "Second paragraph\nThird paragraph",
      callbacks: "willDelete 1 p1 {16, 17}, didEdit 0 p0 {0, 17}"),
    PositionalCase(
      name: "delete whole paragraph in middle",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThird paragraph\nFourth paragraph")
      ],
      edits: [(16, 17, "")],
      ids: "p0 p1 p3",
      text: "First paragraph\nThird paragraph\nFourth paragraph",
      callbacks: "willDelete 2 p2 {33, 16}, didEdit 1 p1 {16, 16}"),
    PositionalCase(
      name: "delete whole paragraph at end",
      steps: [(0, 0, "First paragraph\nSecond paragraph\nThird paragraph")],
      edits: [(32, 16, "")],
      ids: "p0 p1",
      text: "First paragraph\nSecond paragraph",
      callbacks: "willDelete 2 p2 {33, 15}, didEdit 1 p1 {16, 16}"),
    PositionalCase(
      name: "delete whole paragraph at beginning and edit next one",
      steps: [
        (0, 0, "First paragraph\nSecond💋 paragraph\nThird paragraph\nFourth paragraph")
      ],
      edits: [(0, 19, "")],
      ids: "p0 p2 p3",
      text: "ond💋 paragraph\nThird paragraph\nFourth paragraph",
      callbacks: "willDelete 1 p1 {16, 19}, didEdit 0 p0 {0, 16}"),
    PositionalCase(
      name: "delete whole two paragraphs at beginning and edit next one",
      steps: [(0, 0, "First paragraph\nSeco💋nd paragraph\nThird paragraph")],
      edits: [(0, 38, "")],
      ids: "p0",
      text: "rd paragraph",
      callbacks: "willDelete 1 p1 {16, 19}, willDelete 1 p2 {35, 15}, didEdit 0 p0 {0, 12}"),
    PositionalCase(
      name:
        "delete whole two paragraphs at beginning editing the next one and insert new paragraph",
      steps: [
        (0, 0, "First paragraph\nSecond pa💋ragraph\nThird paragraph\nFourth paragraph")
      ],
      edits: [(0, 38, "new paragraph\n")],
      ids: "p0 p2 p3",
      text: "new paragraph\nrd paragraph\nFourth paragraph",
      callbacks: """
        willDelete 1 p1 {16, 19}, didEdit 0 p0 {0, 14}, didEdit 1 p2 {14, 13}, \
        shouldSetStyle 0 p0 {0, 14}
        """),
    PositionalCase(
      name: "delete two paragraphs in middle editing the next one and insert new paragraph",
      steps: [
        (0, 0, "First paragraph\nSecond parag💋raph\nThird paragraph\nFourth paragraph")
      ],
      edits: [(15, 21, "new paragraph\n")],
      ids: "p0 p2 p3",
      text: "First paragraphnew paragraph\nhird paragraph\nFourth paragraph",
      callbacks: """
        willDelete 1 p1 {16, 19}, didEdit 0 p0 {0, 29}, didEdit 1 p2 {29, 15}, \
        shouldSetStyle 0 p0 {0, 29}
        """),
    PositionalCase(
      name: "delete one paragraph in middle editing the next one and insert new paragraph",
      steps: [
        (0, 0, "First paragraph\nSecond parag💋raph\nThird paragraph\nFourth paragraph")
      ],
      edits: [(34, 3, "new paragraph\n")],
      ids: "p0 p1 p2 p3",
      text: "First paragraph\nSecond parag💋raphnew paragraph\nird paragraph\nFourth paragraph",
      callbacks: "didEdit 1 p1 {16, 32}, didEdit 2 p2 {48, 14}, shouldSetStyle 1 p1 {16, 32}"),
    PositionalCase(
      name:
        "incrementally add and edit paragraph at end and periodically insert new paragraph in middle",
      steps: numbers(insertions: [10: 10, 20: 35, 30: 65, 40: 95]).dropLast(),
      edits: [(151, 0, "\n")],
      ids: """
        p0 p1 p2 p3 p4 p5 p11 p6 p7 p8 p9 p10 p12 p13 p14 p15 p22 p16 p17 p18 p19 p20 p21 p23 \
        p24 p25 p33 p26 p27 p28 p29 p30 p31 p32 p34 p35 p44 p36 p37 p38 p39 p40 p41 p42 p43 p45 \
        p46 p47 p48 p49 p50 p51 p52 p53 p54
        """,
      text: """
        0\n1\n2\n3\n4\n10\n5\n6\n7\n8\n9\n10\n11\n12\n13\n20\n14\n15\n16\n17\n18\n19\n\
        20\n21\n22\n30\n23\n24\n25\n26\n27\n28\n29\n30\n31\n40\n32\n33\n34\n35\n36\n37\n\
        38\n39\n40\n41\n42\n43\n44\n45\n46\n47\n48\n49\n
        """,
      callbacks: """
        didEdit 53 p53 {149, 3}, didAdd 54 p54 {152, 0}, shouldSetStyle 53 p53 {149, 3}
        """),
    PositionalCase(
      name: "incrementally add and edit paragraph at end and them delete bunch of them",
      steps: numbers(),
      edits: [(5, 130, "")],
      ids: "p0 p1 p2 p49 p50",
      text: "0\n1\n28\n49\n",
      callbacks: """
        willDelete 3 p3 {6, 2}, willDelete 3 p4 {8, 2}, willDelete 3 p5 {10, 2}, \
        willDelete 3 p6 {12, 2}, willDelete 3 p7 {14, 2}, willDelete 3 p8 {16, 2}, \
        willDelete 3 p9 {18, 2}, willDelete 3 p10 {20, 3}, willDelete 3 p11 {23, 3}, \
        willDelete 3 p12 {26, 3}, willDelete 3 p13 {29, 3}, willDelete 3 p14 {32, 3}, \
        willDelete 3 p15 {35, 3}, willDelete 3 p16 {38, 3}, willDelete 3 p17 {41, 3}, \
        willDelete 3 p18 {44, 3}, willDelete 3 p19 {47, 3}, willDelete 3 p20 {50, 3}, \
        willDelete 3 p21 {53, 3}, willDelete 3 p22 {56, 3}, willDelete 3 p23 {59, 3}, \
        willDelete 3 p24 {62, 3}, willDelete 3 p25 {65, 3}, willDelete 3 p26 {68, 3}, \
        willDelete 3 p27 {71, 3}, willDelete 3 p28 {74, 3}, willDelete 3 p29 {77, 3}, \
        willDelete 3 p30 {80, 3}, willDelete 3 p31 {83, 3}, willDelete 3 p32 {86, 3}, \
        willDelete 3 p33 {89, 3}, willDelete 3 p34 {92, 3}, willDelete 3 p35 {95, 3}, \
        willDelete 3 p36 {98, 3}, willDelete 3 p37 {101, 3}, willDelete 3 p38 {104, 3}, \
        willDelete 3 p39 {107, 3}, willDelete 3 p40 {110, 3}, willDelete 3 p41 {113, 3}, \
        willDelete 3 p42 {116, 3}, willDelete 3 p43 {119, 3}, willDelete 3 p44 {122, 3}, \
        willDelete 3 p45 {125, 3}, willDelete 3 p46 {128, 3}, willDelete 3 p47 {131, 3}, \
        willDelete 3 p48 {134, 3}, didEdit 2 p2 {4, 3}
        """),
    PositionalCase(
      name: "replace all paragraphs with two new paragraphs",
      steps: [(0, 0, "First paragraph\nSecond 💋paragraph\nThird paragraph")],
      edits: [(0, 50, "new paragraph\nanotherParagraph")],
      ids: "p0 p2",
      text: "new paragraph\nanotherParagraph",
      callbacks: """
        willDelete 1 p1 {16, 19}, didEdit 0 p0 {0, 14}, didEdit 1 p2 {14, 16}, \
        shouldSetStyle 0 p0 {0, 14}, shouldSetStyle 1 p2 {14, 16}
        """),
    PositionalCase(
      name: "insert blank paragraph in middle and insert another one",
      steps: [
        (0, 0, "First paragraph\nSecond paragraph\nThird paragraph\nFourthOne"),
        (16, 0, "\n"),
      ],
      edits: [(34, 0, "\n")],
      ids: "p0 p1 p4 p2 p5 p3",
      text: "First paragraph\n\nSecond paragraph\n\nThird paragraph\nFourthOne",
      callbacks: "didEdit 3 p2 {34, 1}, didAdd 4 p5 {35, 16}, shouldSetStyle 3 p2 {34, 1}"),
    PositionalCase(
      name: "delete paragraph in middle and editing the next one",
      steps: [(0, 0, "First paragraph\nSecond paragraph💋\nThirdParagraph")],
      edits: [(15, 1, "\naddition")],
      ids: "p0 p1 p2",
      text: "First paragraph\nadditionSecond paragraph💋\nThirdParagraph",
      callbacks: """
        didEdit 0 p0 {0, 16}, didEdit 1 p1 {16, 27}, shouldSetStyle 0 p0 {0, 16}, \
        shouldSetStyle 1 p1 {16, 27}
        """),
    PositionalCase(
      name: "insert between paragraphs blank paragraph editing the next one",
      steps: [(0, 0, "First paragraph\nSe🤙cond paragraph\nThirdParagraph")],
      edits: [(16, 1, "\naddition")],
      ids: "p0 p1 p3 p2",
      text: "First paragraph\n\nadditione🤙cond paragraph\nThirdParagraph",
      callbacks: """
        didEdit 1 p1 {16, 1}, didAdd 2 p3 {17, 26}, shouldSetStyle 1 p1 {16, 1}, \
        shouldSetStyle 2 p3 {17, 26}
        """),
    PositionalCase(
      name: "incremental editing and inserting paragraph",
      steps: [(0, 0, "1"), (1, 0, "\n")],
      edits: [(2, 0, "2")],
      ids: "p0 p1",
      text: "1\n2",
      callbacks: "didEdit 1 p1 {2, 1}, shouldSetStyle 1 p1 {2, 1}"),
    PositionalCase(
      name: "incremental editing and make first paragraph empty",
      steps: [(0, 0, "1\n2")],
      edits: [(0, 1, "")],
      ids: "p0 p1",
      text: "\n2",
      callbacks: "didEdit 0 p0 {0, 1}"),
    PositionalCase(
      name: "incremental editing and make middle paragraph empty",
      steps: [(0, 0, "1\n2\n3")],
      edits: [(2, 1, "")],
      ids: "p0 p1 p2",
      text: "1\n\n3",
      callbacks: "didEdit 1 p1 {2, 1}"),
    PositionalCase(
      name: "incremental editing and make last paragraph empty",
      steps: [(0, 0, "1\n2")],
      edits: [(2, 1, "")],
      ids: "p0 p1",
      text: "1\n",
      callbacks: "didEdit 1 p1 {2, 0}"),
    PositionalCase(
      name: "set custom text attributes",
      steps: [(0, 0, "First paragraph\nSecond paragraph\nThirdParagraph")],
      edits: [(15, 5, nil)],
      ids: "p0 p1 p2",
      text: "First paragraph\nSecond paragraph\nThirdParagraph",
      callbacks: "shouldSetStyle 0 p0 {0, 16}, shouldSetStyle 1 p1 {16, 17}"),
  ]
}
