@testable import TextState

extension TreeLimits {
  /// Small limits make deep trees of short texts; nil are the usual ones.
  static let forTests: [TreeLimits?] = [
    nil, TreeLimits(leafCountMax: 2, childCountMax: 4),
    TreeLimits(leafCountMax: 3, childCountMax: 5), TreeLimits(leafCountMax: 8, childCountMax: 4),
  ]
}
