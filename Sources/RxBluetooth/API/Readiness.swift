public import Rx

extension BluetoothManager {
    // Promise S119, see docs/promises.md.
    /// Waits until an adapter is on, so that the manager can scan and connect.
    ///
    /// Completes at once if Bluetooth can be used already. bluetoothd and the adapter may start or be plugged in
    /// meanwhile, and a lost bus is opened again. Cold. Delivers on the manager's queue. Example for a task:
    ///
    ///     try await manager.ready(within: .seconds(10)).value
    ///
    /// Fails with:
    /// - The present obstacle at the end of the limit, for example ``BluetoothError/Kind/poweredOff``,
    ///   ``BluetoothError/Kind/blocked`` or ``BluetoothError/Kind/daemonUnavailable``; or with
    ///   ``BluetoothError/Kind/timedOut`` if bluetoothd has not shown its state by then.
    /// - ``BluetoothError/Kind/unauthorized`` and ``BluetoothError/Kind/closed`` at once, because waiting is useless.
    /// - ``BluetoothError/Kind/invalidArgument`` if the limit is zero or less.
    ///
    /// - Parameter limit: The longest time to wait, more than zero. Default: nil, no limit.
    public func ready(within limit: Duration? = nil) -> Completable {
        let (access, selection, reports) = (access, selection, reports)
        return Observable<Never>.deferred {
            if let limit, limit <= .zero {
                throw BluetoothError(.invalidArgument, detail: "The time limit must be longer than zero")
            }
            let obstacle = Guarded(BluetoothError(.timedOut))
            let observed = reports.flatMap { report -> Observable<Bool> in
                let present = report.error(selection)
                obstacle.withLock { $0 = present ?? $0 }
                return .empty()
            }
            let usable = Observable.merge(observed, access.waitUntilUsable(selection)).take(1)
            guard let limit else { return usable.ignoreElements() }
            return usable.timeout(
                limit.timeInterval, other: Observable<Bool>.deferred { throw obstacle.withLock { $0 } },
                scheduler: access.settings.scheduler
            )
            .ignoreElements()
        }
        .catch { throw ($0 as? BluetoothError)?.during(.waitUntilReady, nil) ?? $0 }
        .observe(on: access.settings.scheduler)
        .asCompletable()
    }
}
