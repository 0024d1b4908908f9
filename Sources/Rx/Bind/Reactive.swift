/// The namespace of reactive extensions.
///
/// Members of `extension Reactive where Base: …` are used as `base.rx.member`.
@dynamicMemberLookup
public struct Reactive<Base> {
    /// The extended value.
    public let base: Base

    /// Creates the namespace for the value.
    public init(_ base: Base) { self.base = base }

    /// A binder that sets the property at the key path, on the main scheduler.
    public subscript<Property>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Base, Property>
    ) -> Binder<Property> where Base: AnyObject {
        let property = UncheckedTransfer(keyPath)
        return Binder(base) { base, value in base[keyPath: property.value] = value }
    }
}

extension Reactive: Sendable where Base: Sendable {}

/// A type with reactive extensions at `.rx`.
public protocol ReactiveCompatible {
    /// The extended type.
    associatedtype ReactiveBase

    /// The reactive extensions of the type.
    static var rx: Reactive<ReactiveBase>.Type { get set }

    /// The reactive extensions of the instance.
    var rx: Reactive<ReactiveBase> { get set }
}

extension ReactiveCompatible {
    /// The reactive extensions of the type.
    ///
    /// The setter has no effect; it lets extensions of `Reactive` have setters.
    public static var rx: Reactive<Self>.Type {
        get { Reactive<Self>.self }
        set {}
    }

    /// The reactive extensions of the instance.
    ///
    /// The setter has no effect; it lets extensions of `Reactive` have setters.
    public var rx: Reactive<Self> {
        get { Reactive(self) }
        set {}
    }
}
