/// The base class of bags and of disposables that hold others. It counts them in `Resources`.
public class DisposeBase: @unchecked Sendable {
    // Guard for `@unchecked`: it has no state; subclasses keep theirs in a `Guarded`.

    init() { Resources.objectCreated() }
    deinit { Resources.objectDestroyed() }
}
