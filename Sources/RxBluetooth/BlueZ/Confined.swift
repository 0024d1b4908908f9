import DBus

/// State that belongs to the context of a bus, and may be passed through other threads.
///
/// Classes that live in the context are not `Sendable`, so the compiler keeps other threads from them. Code that has
/// to carry one there holds it in this type. It traps if the value is used outside the context.
struct Confined<Value>: @unchecked Sendable {
    // Guard: every access checks that it happens in the context of `bus`.
    private let bus: any Bus
    private let confined: Value

    init(_ value: Value, to bus: any Bus) {
        self.bus = bus
        confined = value
    }

    /// The value. Traps outside the context of its bus.
    var value: Value {
        bus.preconditionInContext()
        return confined
    }

    /// Another value that belongs to the same context.
    func sibling<Other>(_ value: Other) -> Confined<Other> { Confined<Other>(value, to: bus) }

    /// The value if it belongs to the context of a bus; nil if it belongs to another bus.
    func value(in context: BusContext) -> Value? { context.isContext(of: bus) ? value : nil }

    /// Runs work with the value in the context of its bus, after everything that already waits there.
    func perform(_ work: @escaping @Sendable (Value) -> Void) {
        bus.perform { [self] in work(value) }
    }
}
