/// The namespace of reactive extensions.
///
/// Members of `extension Reactive where Base: …` are used as `base.rx.member`.
@dynamicMemberLookup
public struct Reactive<Base> {
    /// The extended value.
    public let base: Base

    /// Creates the extensions of the base.
    public init(_ base: Base) { self.base = base }

    /// A binder that sets the property of that name on the main scheduler.
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

    /// The extensions of the type.
    static var rx: Reactive<ReactiveBase>.Type { get set }

    /// The extensions of the instance.
    var rx: Reactive<ReactiveBase> { get set }
}

extension ReactiveCompatible {
    /// The extensions of the type. Setting it has no effect; it permits extensions with setters.
    public static var rx: Reactive<Self>.Type {
        get { Reactive<Self>.self }
        set {}
    }

    /// The extensions of the instance. Setting it has no effect; it permits extensions with setters.
    public var rx: Reactive<Self> {
        get { Reactive(self) }
        set {}
    }
}
