import Rx

extension Peripheral {
    // Promises S120 and S121, see docs/promises.md.
    /// Connects, runs asynchronous work with the connection, and closes the connection.
    ///
    /// Returns the result of `work`, which is called once when the peripheral is connected and its ``mtu`` is known.
    /// bluetoothd knows the MTU after it has read the services; if that takes longer than ``Deadlines/cleanup``, `work`
    /// is called before, and ``readMTU()`` waits for the MTU. In all cases, this method
    /// returns or throws only when `work` has ended and the link is closed: after `work` returns or throws, if
    /// connecting fails, and if the task is cancelled. A link that another program made is left open by default, see
    /// ``ConnectOptions/existingLink``. Example:
    ///
    ///     let level = try await peripheral.withConnection { peripheral in
    ///         try await readBatteryLevel(of: peripheral)
    ///     }
    ///
    /// Cancelling the task, and the end of the connection, cancel the task of `work`. With
    /// ``ConnectOptions/reconnection``, the connection ends only when the policy gives up.
    ///
    /// Throws what `work` throws, with one exception: if `work` throws `CancellationError` because the connection has
    /// ended, this method throws the error of the connection. If connecting fails, throws the error of
    /// ``connect(options:)``, for example ``BluetoothError/Kind/alreadyConnected``, and `work` is not called. If the
    /// task is cancelled, throws `CancellationError` instead of any ``BluetoothError``, because the cancellation closes
    /// the link. Closing the link never throws; it has the deadline ``Deadlines/disconnect``.
    ///
    /// - Parameters:
    ///   - options: Whether to reconnect, and what to do with an existing link. Default: as for ``connect(options:)``.
    ///   - work: The work, in a child task. A closure in code of an actor, for example of the main actor, runs on that
    ///     actor.
    @discardableResult
    public func withConnection<Outcome: Sendable>(
        options: ConnectOptions = ConnectOptions(),
        @_inheritActorContext _ work: @escaping @Sendable (_ peripheral: Peripheral) async throws -> Outcome
    ) async throws -> Outcome {
        try Task.checkCancellation()
        guard let access = present else { throw BluetoothError(.closed) }
        let (connections, connected) = AsyncStream<Peripheral>.makeStream()
        let connection = connect(options: options)
        let ends: ScopeEnds<Outcome> = await withTaskGroup(of: ScopeEnds<Outcome>.self) { group in
            group.addTask {
                defer { connected.finish() }
                do {
                    for try await peripheral in connection.values { connected.yield(peripheral) }
                    return ScopeEnds()
                } catch {
                    return ScopeEnds(failure: error)
                }
            }
            group.addTask {
                for await peripheral in connections {
                    // So that `mtu` is the negotiated one, unless bluetoothd reads the services for too long.
                    _ = try? await peripheral.readMTU(within: { $0.cleanup }).value
                    if Task.isCancelled { return ScopeEnds() }
                    do {
                        return ScopeEnds(result: .success(try await work(peripheral)))
                    } catch {
                        return ScopeEnds(result: .failure(error))
                    }
                }
                return ScopeEnds()
            }
            var ends = ScopeEnds<Outcome>()
            // The first task that ends cancels the other one. Cancelling the first one disposes of the connection.
            for await end in group {
                ends = ScopeEnds(failure: end.failure ?? ends.failure, result: end.result ?? ends.result)
                group.cancelAll()
            }
            return ends
        }
        await linkIsClosed(access)
        switch ends.result {
        case .success(let outcome): return outcome
        case .failure(let error) where !(error is CancellationError): throw errorOfTask(error)
        // Without an error of the connection, the task was cancelled, or `work` has thrown `CancellationError`.
        default: throw errorOfTask(ends.failure ?? CancellationError())
        }
    }

    /// Waits until the link is closed if it is being closed. Cancelling the task does not end the wait.
    private func linkIsClosed(_ access: BlueZAccess) async {
        guard let handle = access.present else { return }
        await withCheckedContinuation { continuation in
            handle.perform { [self] client in
                client.links.onNotClosing(key) {
                    withExtendedLifetime((access, handle)) { continuation.resume() }
                }
            }
        }
    }
}

/// Returns the error to throw in the present task: the cancellation has precedence over the errors that it causes.
///
/// The children of a cancelled task are cancelled one after the other, so an operation of the second one may fail with
/// the end of the first one.
func errorOfTask(_ error: any Error) -> any Error {
    Task.isCancelled && error is BluetoothError ? CancellationError() : error
}

/// How the connection and the work of a scope have ended.
private struct ScopeEnds<Outcome: Sendable>: Sendable {
    /// The error of the connection; nil if it has not failed.
    var failure: (any Error)?
    /// The result of the work; nil if it was not called.
    var result: Result<Outcome, any Error>?
}
