import ArgumentParser
import EditModel
import EditProtocol

/// The size of a page on the command line: `WxH`, such as `80x24`.
struct PageArgument: ExpressibleByArgument, Hashable {
  /// Cells in a row, and rows.
  let (width, height): (Int, Int)

  init(width: Int, height: Int) { (self.width, self.height) = (width, height) }

  init?(argument: String) {
    guard let numbers = argument.numbers(separatedBy: "x"), numbers.count == 2,
      (1...RenderLayout.widthMax).contains(numbers[0]),
      (1...RenderLayout.Page.heightMax).contains(numbers[1]),
      numbers[0] * numbers[1] <= RenderLayout.Page.areaMax
    else { return nil }
    (width, height) = (numbers[0], numbers[1])
  }

  var defaultValueDescription: String { "\(width)x\(height)" }
}

/// A hole of a page on the command line: `COLUMN,ROW,WxH`, counted from 1, such as `60,1,20x5`.
struct HoleArgument: ExpressibleByArgument, Hashable {
  let rectangle: RenderRectangle

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count == 3, let column = String(parts[0]).numbers(separatedBy: ",")?.first,
      let row = String(parts[1]).numbers(separatedBy: ",")?.first, column > 0, row > 0,
      let size = String(parts[2]).numbers(separatedBy: "x"), size.count == 2
    else { return nil }
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
