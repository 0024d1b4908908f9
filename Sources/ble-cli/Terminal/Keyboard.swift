import Rx

/// What a person types.
protocol Keyboard: Sendable {
    /// Emits the next line without its end; nil when there is no more input. What was asked before gets no line any more.
    func line() -> Single<String?>
}
