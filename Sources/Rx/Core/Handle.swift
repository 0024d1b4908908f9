/// What `subscribe` gives to the user: the last link of the chain. A struct, so it costs no allocation.
///
/// Guard: `dispose` of every stage goes by the atomic flags of `Stage`.
struct Handle: Cancelable, @unchecked Sendable {
    let stage: Stage
    init(_ stage: Stage) { self.stage = stage }
    var isDisposed: Bool { stage.isDisposed }
    func dispose() { stage.dispose() }
}

/// Carries a value into a closure that may run on another thread.
///
/// Guard: the giver does not touch an element again after giving it; sinks carried so are entered through their `Gate`
/// or their atomic flags only.
struct Ferry<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
