import DBus

/// A D-Bus interface as data: one row per property and method, for objects of one class.
struct InterfaceTable<Owner: AnyObject>: Sendable {
    let name: String
    var properties: [PropertyRow<Owner>] = []
    var methods: [MethodRow<Owner>] = []
    var signals: [SignalRow] = []

    /// Returns the table without the rows of absent features.
    func with(_ features: Set<SimulatedFeature>) -> InterfaceTable {
        var table = self
        table.properties.removeAll { !($0.feature.map(features.contains) ?? true) }
        table.methods.removeAll { !($0.feature.map(features.contains) ?? true) }
        table.signals.removeAll { !($0.feature.map(features.contains) ?? true) }
        return table
    }
}

/// A signal of an interface, for introspection only.
struct SignalRow: Sendable {
    let name: String
    let arguments: [ArgumentRow]
    /// The feature with which daemons have the signal; nil if all have it.
    var feature: SimulatedFeature?
}

/// A property of an interface. If `get` returns nil for an object, the object lacks the property.
struct PropertyRow<Owner: AnyObject>: Sendable {
    let name: String
    let type: String
    let get: @Sendable (Owner) -> Value?
    var set: (@Sendable (Owner, Value, IncomingCall) -> Void)?
    /// The feature with which daemons have the property; nil if all have it.
    let feature: SimulatedFeature?

    init(
        _ name: String, _ type: String, with feature: SimulatedFeature? = nil,
        _ get: @escaping @Sendable (Owner) -> Value?,
        set: (@Sendable (Owner, Value, IncomingCall) -> Void)? = nil
    ) {
        self.name = name
        self.type = type
        self.feature = feature
        self.get = get
        self.set = set
    }
}

/// A method of an interface.
///
/// When `run` is called, the arguments have the types of `input`. An error that `run` throws is the reply.
struct MethodRow<Owner: AnyObject>: Sendable {
    let name: String
    let input: [ArgumentRow]
    let output: [ArgumentRow]
    /// The feature with which daemons have the method; nil if all have it.
    let feature: SimulatedFeature?
    let run: @Sendable (Owner, IncomingCall) throws(DBusError) -> Void

    init(
        _ name: String, in input: [ArgumentRow] = [], out output: [ArgumentRow] = [],
        with feature: SimulatedFeature? = nil,
        _ run: @escaping @Sendable (Owner, IncomingCall) throws(DBusError) -> Void
    ) {
        self.name = name
        self.input = input
        self.output = output
        self.feature = feature
        self.run = run
    }
}

/// An argument of a method, for introspection.
struct ArgumentRow: Sendable {
    let name: String
    let type: String

    init(_ name: String, _ type: String) {
        self.name = name
        self.type = type
    }
}
