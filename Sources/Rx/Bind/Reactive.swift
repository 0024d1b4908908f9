/// The place for reactive extensions of a type: what stands in `extension Reactive where Base: …` is at `base.rx`.
@dynamicMemberLookup
public struct Reactive<Base> {
    /// What is extended.
    public let base: Base

    /// The extensions of the base.
    public init(_ base: Base) { self.base = base }

    /// A binder of the property of that name. It sets the property on the main scheduler.
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
    /// What is extended.
    associatedtype ReactiveBase

    /// The extensions of the type.
    static var rx: Reactive<ReactiveBase>.Type { get set }

    /// The extensions of the instance.
    var rx: Reactive<ReactiveBase> { get set }
}

extension ReactiveCompatible {
    /// The extensions of the type. Setting it does nothing: it lets extensions be written through.
    public static var rx: Reactive<Self>.Type {
        get { Reactive<Self>.self }
        set {}
    }

    /// The extensions of the instance. Setting it does nothing: it lets extensions be written through.
    public var rx: Reactive<Self> {
        get { Reactive(self) }
        set {}
    }
}
