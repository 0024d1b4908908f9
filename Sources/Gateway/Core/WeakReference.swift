/// A reference that does not keep its object, so that a timer or a subscription does not extend a life.
struct WeakReference<Object: AnyObject> {
    weak var object: Object?

    init(_ object: Object) { self.object = object }
}
