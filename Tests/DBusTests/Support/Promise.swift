import Dispatch

@testable import DBus

/// A value that is set once, and that tests await for a limited time.
///
/// The limit is real time, because other processes provide the value. Only a test that fails reaches the limit.
final class Promise<Value: Sendable>: Sendable {
    struct TimedOut: Error {}

    private enum State {
        case open
        case awaited(CheckedContinuation<Result<Value, any Error>, Never>)
        case done(Result<Value, any Error>)
    }

    private let state = Guarded(State.open)

    /// Sets the value. Later calls have no effect.
    func fulfil(_ value: Value) { settle(.success(value)) }

    func value(within seconds: Int = 120) async throws -> Value {
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
            self?.settle(.failure(TimedOut()))
        }
        return try await withCheckedContinuation { continuation in
            let result: Result<Value, any Error>? = state.withLock { state in
                if case .done(let result) = state { return result }
                state = .awaited(continuation)
                return nil
            }
            if let result { continuation.resume(returning: result) }
        }.get()
    }

    private func settle(_ result: Result<Value, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Result<Value, any Error>, Never>? in
            defer { if case .done = state {} else { state = .done(result) } }
            if case .awaited(let waiter) = state { return waiter }
            return nil
        }
        waiter?.resume(returning: result)
    }
}

/// A list of elements in the order in which any thread added them.
final class Record<Element: Sendable>: Sendable {
    private struct State {
        var elements: [Element] = []
        var waiters: [(count: Int, promise: Promise<[Element]>)] = []
    }

    private let state = Guarded(State())

    var elements: [Element] { state.withLock { $0.elements } }

    func removeAll() { state.withLock { $0.elements = [] } }

    func add(_ element: Element) {
        let (elements, ready) = state.withLock { state in
            state.elements.append(element)
            let count = state.elements.count
            let ready = state.waiters.filter { $0.count <= count }
            state.waiters.removeAll { $0.count <= count }
            return (state.elements, ready.map(\.promise))
        }
        for promise in ready { promise.fulfil(elements) }
    }

    /// Waits until there are `count` elements, and returns all elements.
    func first(_ count: Int) async throws -> [Element] {
        let promise = Promise<[Element]>()
        let present = state.withLock { state -> [Element]? in
            if state.elements.count >= count { return state.elements }
            state.waiters.append((count, promise))
            return nil
        }
        if let present { return present }
        return try await promise.value()
    }
}
