import EditModel

/// The members of a JSON object, in their written order. No name occurs twice.
public struct JSONObject: Hashable, Sendable {
  /// One member.
  public struct Member: Hashable, Sendable {
    /// Its name.
    public var name: String
    /// Its value.
    public var value: JSON

    /// A member.
    public init(name: String, value: JSON) { (self.name, self.value) = (name, value) }

    /// True if the bytes of the names, and the values, are equal.
    public static func == (left: Self, right: Self) -> Bool {
      left.name.isExactly(right.name) && left.value == right.value
    }
  }

  /// The members.
  public private(set) var members: [Member]

  /// An object without members.
  public init() { members = [] }
  /// An object of these members, whose names must differ.
  package init(unique members: [Member]) { self.members = members }

  /// The value of a member; nil if it is absent. Setting replaces the value in place, adds
  /// a member at the end, or with nil removes it. O(members).
  public subscript(name: String) -> JSON? {
    get { index(of: name).map { members[$0].value } }
    set {
      switch (index(of: name), newValue) {
      case (let index?, let value?): members[index].value = value
      case (let index?, nil): members.remove(at: index)
      case (nil, let value?): members.append(Member(name: name, value: value))
      case (nil, nil): break
      }
    }
  }

  /// Adds a member, whose name no other member may have. Does nothing if the value is nil.
  package mutating func add(_ name: String, _ value: JSON?) {
    if let value { members.append(Member(name: name, value: value)) }
  }

  /// Allocates memory for this number of members.
  package mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

  private func index(of name: String) -> Int? {
    members.firstIndex { $0.name.isExactly(name) }
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// An object with its members in this order; the last of equal names wins.
  public init(dictionaryLiteral elements: (String, JSON)...) {
    self.init()
    reserveCapacity(elements.count)
    for (name, value) in elements { self[name] = value }
  }
}
