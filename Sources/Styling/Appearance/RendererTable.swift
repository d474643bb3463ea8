/// Which renderer shows a model: a table of candidates, of which the first that fits is taken.
///
/// A candidate fits if the model is of its type and meets its condition. A model in an optional is
/// unwrapped first, however many optionals are around it.
public struct RendererTable<Output>: Sendable {
  private let candidates: [@Sendable (Any, Int) -> Output?]

  /// A table without candidates.
  public init() { candidates = [] }

  private init(_ candidates: [@Sendable (Any, Int) -> Output?]) { self.candidates = candidates }

  /// This table with one more candidate, after those that it has.
  ///
  /// - Parameters:
  ///   - type: The type of its models.
  ///   - condition: Which models it shows: gets the model, and the section in which it is.
  ///   - render: Makes the output.
  public func adding<Model>(
    _ type: Model.Type,
    where condition: @escaping @Sendable (Model, Int) -> Bool = { _, _ in true },
    render: @escaping @Sendable (Model) -> Output
  ) -> RendererTable {
    RendererTable(
      candidates + [
        { model, section in
          guard let model = model as? Model, condition(model, section) else { return nil }
          return render(model)
        }
      ])
  }

  /// This table, and after its candidates those of another one.
  public func followed(by other: RendererTable) -> RendererTable {
    RendererTable(candidates + other.candidates)
  }

  /// The output of the first candidate that fits; nil if none does, or if the model is an empty optional.
  /// O(candidates).
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - section: The section in which it is.
  public func output(for model: Any, in section: Int = 0) -> Output? {
    guard let model = unwrapped(model) else { return nil }
    for candidate in candidates {
      if let output = candidate(model, section) { return output }
    }
    return nil
  }
}

/// An optional, whatever it holds.
private protocol AnyOptional {
  var anyValue: Any? { get }
}

extension Optional: AnyOptional {
  fileprivate var anyValue: Any? { self.map { $0 as Any } }
}

private func unwrapped(_ model: Any) -> Any? {
  var model = model
  while let optional = model as? any AnyOptional {
    guard let value = optional.anyValue else { return nil }
    model = value
  }
  return model
}
