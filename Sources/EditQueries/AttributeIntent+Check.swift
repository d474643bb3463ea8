import EditModel
package import EditProtocol
import Styling

extension AttributeIntent {
  /// Refuses values that attributes with a meaning cannot have, such as a colour that is none.
  ///
  /// - Throws: `ProtocolError` (`invalidParams`).
  package func checkValues() throws(ProtocolError) {
    switch self {
    case .set(let values), .merge(let values):
      if let problem = Theme.problem(of: values) {
        throw ProtocolError(.invalidParams, "params.attributes: \(problem)")
      }
    case .remove: break
    }
  }
}
