import Synchronization

/// An observer that sets a value on an object, which it holds weakly.
///
/// The closure runs on the scheduler, by default the main scheduler, in the order of the elements. Completion has no
/// effect. An error traps in a debug build and is ignored otherwise.
public struct Binder<Value>: ObserverType {
    /// The type of the elements that the binder receives.
    public typealias Element = Value

    private let binding: @Sendable (Event<Value>) -> Void

    /// Creates a binder with a closure that sets a value on the target.
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
            case .error(let error):
                assertionFailure("A binder received an error: \(error). Handle errors before the binder.")
            case .completed: break
            }
        }
    }

    /// Creates a binder to an object of the main actor. The closure runs on the main actor.
    ///
    /// Example:
    ///
    ///     Binder(label) { label, text in label.text = text }
    public init<Target: AnyObject>(
        _ target: Target, binding: @escaping @MainActor @Sendable (Target, Value) -> Void
    ) {
        self.init(target, scheduler: MainScheduler()) { (target: Target, value: Value) in
            let parts = UncheckedTransfer((target, value))
            // `MainScheduler` runs its actions on the main thread.
            MainActor.assumeIsolated { binding(parts.value.0, parts.value.1) }
        }
    }

    /// Calls the closure of the binder for an element. Completion has no effect.
    public func on(_ event: Event<Value>) { binding(event) }

    /// Returns the binder as an observer with its concrete type hidden.
    public func asObserver() -> AnyObserver<Value> { AnyObserver(eventHandler: binding) }
}

extension Binder: Sendable {}

/// A weak reference to the target of a binder.
///
/// Guard for `@unchecked`: any thread may read a weak reference, and only the binding uses the object, on the
/// scheduler.
private final class WeakTarget<Target: AnyObject>: @unchecked Sendable {
    private(set) weak var object: Target?
    init(_ object: Target) { self.object = object }
}
