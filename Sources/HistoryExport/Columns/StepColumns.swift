import EditModel
import Projections

extension UndoTree {
  /// The steps as numbers: by how much the parent's number is smaller, the first edit less that of the step
  /// before, the edits after it, their number, the units put in and taken out, and 1 if it is undone.
  var columns: [UInt8] {
    let path = Set(path.map(\.number))
    var column = ColumnWriter()
    var first: SequenceNumber = 0
    for step in steps {
      column.append(step.number - (step.parent ?? 0))
      column.append(step.sequences.lowerBound - min(first, step.sequences.lowerBound))
      first = step.sequences.lowerBound
      column.append(step.sequences.upperBound - first)
      column.append(step.editCount)
      column.append(step.insertedUnits)
      column.append(step.deletedUnits)
      column.append(path.contains(step.number) ? 0 : 1)
    }
    return column.bytes
  }
}
