/// A stream that is fed by hand: an observable and an observer in one.
public protocol SubjectType: ObservableType {
    /// The observer that feeds it.
    associatedtype Observer: ObserverType
    /// The side that feeds it.
    func asObserver() -> Observer
}
