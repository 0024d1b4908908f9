/// What `subscribe` gives to the user: the last link of the chain. A struct, so it costs no allocation.
///
/// Guard: `dispose` of every node goes by the atomic flags of `SubscriptionNode`.
struct SubscriptionHandle: Cancelable, @unchecked Sendable {
    let node: SubscriptionNode
    init(_ node: SubscriptionNode) { self.node = node }
    var isDisposed: Bool { node.isDisposed }
    func dispose() { node.dispose() }
}

/// Carries a value into a closure that may run on another thread.
///
/// Guard: the giver does not touch an element again after giving it; sinks carried so are entered through their `SerialDrain`
/// or their atomic flags only.
struct UncheckedTransfer<Value>: @unchecked Sendable {
    let value: Value
    init(_ value: Value) { self.value = value }
}
