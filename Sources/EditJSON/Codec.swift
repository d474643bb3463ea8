/// Reads and writes the values of a type in JSON, and has the JSON Schema of both.
public struct Codec<Value: Sendable>: Sendable {
  /// Reads a value.
  public let decode: @Sendable (JSON) throws(ShapeError) -> Value
  /// Writes a value.
  public let encode: @Sendable (Value) -> JSON
  /// Writes the text of what `encode` returns, of which lists and objects are not in memory as a whole.
  package let write: @Sendable (Value, inout JSONWriter) -> Void
  /// The JSON Schema (2020-12) of the values that `decode` accepts and `encode` writes.
  public let schema: JSONObject

  /// A codec. `schema` must describe what `decode` and `encode` do.
  public init(
    schema: JSONObject, decode: @escaping @Sendable (JSON) throws(ShapeError) -> Value,
    encode: @escaping @Sendable (Value) -> JSON
  ) {
    self.init(schema: schema, decode: decode, encode: encode) { $1.append(encode($0)) }
  }

  /// As above. `write` must write what `encode` returns.
  package init(
    schema: JSONObject, decode: @escaping @Sendable (JSON) throws(ShapeError) -> Value,
    encode: @escaping @Sendable (Value) -> JSON,
    write: @escaping @Sendable (Value, inout JSONWriter) -> Void
  ) {
    (self.schema, self.decode, self.encode, self.write) = (schema, decode, encode, write)
  }
}

extension Codec {
  /// A codec of an object with these members. `make` gets their values in this order. Other members
  /// are ignored.
  public init<each Part: Sendable>(
    _ make: @escaping @Sendable (repeat each Part) -> Value,
    _ members: repeat Member<Value, each Part>
  ) {
    var properties: JSONObject = [:]
    var required: [JSON] = []
    // Iterated for each value, a pack would look up the types of its parts each time.
    var writers: [@Sendable (Value, inout JSONObject) -> Void] = []
    var textWriters: [@Sendable (Value, inout JSONWriter, inout Bool) -> Void] = []
    repeat (each members).describe(&properties, &required)
    repeat writers.append((each members).write)
    repeat textWriters.append((each members).writeText)
    var schema: JSONObject = ["type": "object", "properties": .object(properties)]
    if !required.isEmpty { schema["required"] = .array(required) }
    self.init(
      schema: schema,
      decode: { (json) throws(ShapeError) in
        let object = try json.asObject()
        do {
          return make(repeat try (each members).read(object))
        } catch { throw ShapeError(any: error) }
      },
      encode: { [writers] value in
        var object: JSONObject = [:]
        for write in writers { write(value, &object) }
        return .object(object)
      },
      write: { [textWriters] value, writer in
        writer.append(UInt8(ascii: "{"))
        var isFirst = true
        for write in textWriters { write(value, &writer, &isFirst) }
        writer.append(UInt8(ascii: "}"))
      })
  }
}

/// A part of an object that a `Codec` reads and writes: one member, or a group of members.
public struct Member<Object: Sendable, Value: Sendable>: Sendable {
  fileprivate let read: @Sendable (JSONObject) throws(ShapeError) -> Value
  fileprivate let write: @Sendable (Object, inout JSONObject) -> Void
  /// As `write`, as text. Members of one object never have the same name.
  fileprivate let writeText: @Sendable (Object, inout JSONWriter, _ isFirst: inout Bool) -> Void
  fileprivate let describe:
    @Sendable (_ properties: inout JSONObject, _ required: inout [JSON]) -> Void
}

extension Member {
  /// A required member.
  public static func required(
    _ name: String, _ path: any KeyPath<Object, Value> & Sendable, _ codec: Codec<Value>
  ) -> Self {
    Self(
      read: { (object) throws(ShapeError) in try object.read(name, codec.decode) },
      write: { $1.add(name, codec.encode($0[keyPath: path])) },
      writeText: { value, writer, isFirst in
        writer.append(member: name, isFirst: &isFirst)
        codec.write(value[keyPath: path], &writer)
      },
      describe: { properties, required in
        properties[name] = .object(codec.schema)
        required.append(JSON(name))
      })
  }

  /// An optional member. If it is absent or null, the value is nil.
  public static func optional<Wrapped>(
    _ name: String, _ path: any KeyPath<Object, Wrapped?> & Sendable, _ codec: Codec<Wrapped>
  ) -> Self where Value == Wrapped? {
    Self(
      read: { (object) throws(ShapeError) in try object.readIfPresent(name, codec.decode) },
      write: { value, object in object.add(name, value[keyPath: path].map(codec.encode)) },
      writeText: { value, writer, isFirst in
        guard let value = value[keyPath: path] else { return }
        writer.append(member: name, isFirst: &isFirst)
        codec.write(value, &writer)
      },
      describe: { properties, _ in properties[name] = .object(codec.schema) })
  }

  /// A member that is always written, as null if the value is nil.
  public static func nullable<Wrapped>(
    _ name: String, _ path: any KeyPath<Object, Wrapped?> & Sendable, _ codec: Codec<Wrapped>
  ) -> Self where Value == Wrapped? {
    Self(
      read: { (object) throws(ShapeError) in try object.readIfPresent(name, codec.decode) },
      write: { $1.add(name, $0[keyPath: path].map(codec.encode) ?? .null) },
      writeText: { value, writer, isFirst in
        writer.append(member: name, isFirst: &isFirst)
        guard let value = value[keyPath: path] else { return writer.append(.null) }
        codec.write(value, &writer)
      },
      describe: { properties, required in
        properties[name] = ["anyOf": [.object(codec.schema), ["type": "null"]]]
        required.append(JSON(name))
      })
  }

  /// An optional member. If it is absent or null, the value is `standard`. If the value is
  /// `standard`, the member is written only if `isAlwaysWritten`.
  public static func optional(
    _ name: String, _ path: any KeyPath<Object, Value> & Sendable, _ codec: Codec<Value>,
    else standard: Value, isAlwaysWritten: Bool = false
  ) -> Self where Value: Equatable {
    Self(
      read: { (object) throws(ShapeError) in
        try object.readIfPresent(name, codec.decode) ?? standard
      },
      write: { value, object in
        let value = value[keyPath: path]
        if isAlwaysWritten || value != standard { object.add(name, codec.encode(value)) }
      },
      writeText: { value, writer, isFirst in
        let value = value[keyPath: path]
        guard isAlwaysWritten || value != standard else { return }
        writer.append(member: name, isFirst: &isFirst)
        codec.write(value, &writer)
      },
      describe: { properties, _ in
        var schema = codec.schema
        schema["default"] = codec.encode(standard)
        properties[name] = .object(schema)
      })
  }

  /// A flag that is always written as `value`. It is required if it is true.
  public static func flag(_ name: String, _ value: Bool) -> Self where Value == Bool {
    Self(
      read: { (object) throws(ShapeError) in
        try object.boolIfPresent(name) ?? false
      },
      write: { $1.add(name, .bool(value)) },
      writeText: { _, writer, isFirst in
        writer.append(member: name, isFirst: &isFirst)
        writer.append(.bool(value))
      },
      describe: { properties, required in
        properties[name] = ["const": .bool(value)]
        if value { required.append(JSON(name)) }
      })
  }

  /// Members that another codec of objects reads and writes.
  public static func group(
    _ path: any KeyPath<Object, Value> & Sendable, _ codec: Codec<Value>
  ) -> Self {
    Self(
      read: { (object) throws(ShapeError) in try codec.decode(.object(object)) },
      write: { value, object in object.merge(codec.encode(value[keyPath: path])) },
      writeText: { value, writer, isFirst in
        writer.append(membersOf: codec.encode(value[keyPath: path]), isFirst: &isFirst)
      },
      describe: { codec.describe(&$0, &$1) })
  }

  /// A group of members. If its member `name` is absent, the value is nil.
  public static func optionalGroup<Wrapped>(
    _ name: String, _ path: any KeyPath<Object, Wrapped?> & Sendable, _ codec: Codec<Wrapped>
  ) -> Self where Value == Wrapped? {
    Self(
      read: { (object) throws(ShapeError) in
        object[name] == nil ? nil : try codec.decode(.object(object))
      },
      write: { value, object in
        if let value = value[keyPath: path] { object.merge(codec.encode(value)) }
      },
      writeText: { value, writer, isFirst in
        guard let value = value[keyPath: path] else { return }
        writer.append(membersOf: codec.encode(value), isFirst: &isFirst)
      },
      describe: { properties, _ in
        var required: [JSON] = []
        codec.describe(&properties, &required)
      })
  }
}

extension Codec {
  /// Adds the schemas of an object's members to those of another.
  fileprivate func describe(_ properties: inout JSONObject, _ required: inout [JSON]) {
    if case .object(let own)? = schema["properties"] { properties.merge(.object(own)) }
    if case .array(let own)? = schema["required"] { required += own }
  }
}

extension JSONObject {
  /// Sets all members of `json`, if it is an object.
  fileprivate mutating func merge(_ json: JSON) {
    guard case .object(let other) = json else { return }
    for member in other.members { self[member.name] = member.value }
  }
}

extension ShapeError {
  /// The `ShapeError` in `error`, whose type the compiler does not infer here.
  fileprivate init(any error: any Error) {
    self = (error as? ShapeError) ?? ShapeError("", mustBe: "readable", found: nil)
  }
}
