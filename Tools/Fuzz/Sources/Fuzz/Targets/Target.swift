/// One thing that reads bytes from elsewhere.
protocol Target: Sendable {
  /// How mutations of its inputs are made valid; nil if any bytes are valid.
  var format: (any Format)? { get }
  /// Reads the bytes in every way there is, and ends the process if the answers contradict
  /// one another.
  func run(_ bytes: [UInt8])
  /// Inputs to begin with: the same each time.
  func seeds() -> [[UInt8]]
}

/// The target that `FUZZ_TARGET` names.
let currentTarget: any Target = {
  switch environment("FUZZ_TARGET") {
  case "journal": StoreTarget(.journal)
  case "segment": StoreTarget(.segment)
  case "checkpoint": CheckpointTarget()
  case "name-format": SmallFileTarget()
  case "block": BlockTarget()
  case "record": RecordTarget()
  case "point": PointTarget()
  case "frame": FrameTarget()
  case "native": NativeTarget()
  case let name: contradiction("FUZZ_TARGET names no target: \(name ?? "nothing")")
  }
}()
