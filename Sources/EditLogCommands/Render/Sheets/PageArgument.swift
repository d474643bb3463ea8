import ArgumentParser
import EditModel
import EditProtocol

/// The size of a page on the command line: `WxH`, such as `80x24`.
struct PageArgument: Hashable {
  /// Cells in a row, and rows.
  let (width, height): (Int, Int)

  /// - Throws: `ValidationError` that says what is allowed.
  init(_ argument: String) throws(ValidationError) {
    let (widthMax, heightMax) = (RenderLayout.widthMax, RenderLayout.Page.heightMax)
    guard let numbers = argument.numbers(separatedBy: "x"), numbers.count == 2,
      (1...widthMax).contains(numbers[0]), (1...heightMax).contains(numbers[1])
    else {
      throw ValidationError(
        """
        give the cells in a row, 1 to \(widthMax), and the rows, 1 to \(heightMax), such as 80x24
        """)
    }
    guard numbers[0] * numbers[1] <= RenderLayout.Page.areaMax else {
      throw ValidationError("a page has at most \(RenderLayout.Page.areaMax) cells")
    }
    (width, height) = (numbers[0], numbers[1])
  }
}

/// A hole of a page on the command line: `COLUMN,ROW,WxH`, counted from 1, such as `60,1,20x5`.
struct HoleArgument: Hashable {
  let rectangle: RenderRectangle

  /// The rectangle as an argument: `X,Y,WxH`, counted from 1.
  var text: String {
    "\(rectangle.column + 1),\(rectangle.row + 1),\(rectangle.columns)x\(rectangle.rows)"
  }

  /// - Throws: `ValidationError` that says what is allowed.
  init(_ argument: String) throws(ValidationError) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 3, let column = String(parts[0]).numbers(separatedBy: ",")?.first,
      let row = String(parts[1]).numbers(separatedBy: ",")?.first, column > 0, row > 0,
      let size = String(parts[2]).numbers(separatedBy: "x"), size.count == 2
    else {
      throw ValidationError(
        """
        give its first column and row, counted from 1, and its size, in numbers of at most six digits, \
        such as 60,1,20x5
        """)
    }
    rectangle = RenderRectangle(column: column - 1, row: row - 1, columns: size[0], rows: size[1])
  }
}

extension String {
  /// Numbers of at most six digits between separators; nil if it has anything else.
  fileprivate func numbers(separatedBy separator: Character) -> [Int]? {
    let parts = split(separator: separator, omittingEmptySubsequences: false)
    let numbers = parts.compactMap { part -> Int? in
      (1...6).contains(part.utf8.count) && part.utf8.allSatisfy { (0x30...0x39).contains($0) }
        ? Int(part) : nil
    }
    return numbers.count == parts.count ? numbers : nil
  }
}
