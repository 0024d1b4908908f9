import Synchronization

/// An observer that sets something of an object, which it holds weakly. It takes elements only.
///
/// Bindings run on the scheduler, the main one unless told otherwise, in the order of the elements. A binder cannot show
/// an error: it traps on one in a debug build and ignores it otherwise.
public struct Binder<Value>: ObserverType {
    /// The type of what it takes.
    public typealias Element = Value

    private let binding: @Sendable (Event<Value>) -> Void

    /// A binder of the target; the closure sets a value on it.
    @preconcurrency
    public init<Target: AnyObject>(
        _ target: Target, scheduler: any ImmediateSchedulerType = MainScheduler(),
        binding: @escaping @Sendable (Target, Value) -> Void
    ) {
        let target = WeakTarget(target)
        self.binding = { event in
            switch event {
            case .next(let value):
                let transfer = UncheckedTransfer(value)
                _ = scheduler.run {
                    if let object = target.object { binding(object, transfer.value) }
                }
            case .error(let error): assertionFailure("A binder was given an error: \(error).")
            case .completed: break
            }
        }
    }

    /// Sets the element; the end changes nothing.
    public func on(_ event: Event<Value>) { binding(event) }

    /// The same observer with its type hidden.
    public func asObserver() -> AnyObserver<Value> { AnyObserver(eventHandler: binding) }
}

extension Binder: Sendable {}

/// An object held weakly. Guard: weak references may be read from any thread, and the object goes to the binding only,
/// which runs on the scheduler.
private final class WeakTarget<Target: AnyObject>: @unchecked Sendable {
    private(set) weak var object: Target?
    init(_ object: Target) { self.object = object }
}
