import Rx

extension BlueZAccess {
    /// Emits once, when Bluetooth can be used with an adapter, whether that had to be waited for; then completes.
    ///
    /// It waits for as long as it takes: for bluetoothd and adapters by signals, without waking up; for a bus that was lost,
    /// of whose return nobody tells, by opening it again, with pauses that grow to 2 s. Fails where that is
    /// of no use: the manager was closed, or the permission is missing.
    func waitUntilUsable(_ selection: AdapterSelection) -> Observable<Bool> {
        Observable.deferred { [self] in
            let handle = try client()
            let waits = Guarded((hasWaited: false, losses: 0))
            return reports.compactMap { $0 }
                .flatMapLatest { [self] report -> Observable<Bool> in
                    let state = report.state(selection)
                    if state == .unauthorized { throw BluetoothError(.permissionDenied) }
                    if state == .poweredOn {
                        return .just(waits.withLock(\.hasWaited))
                    }
                    let losses = waits.withLock { waits in
                        waits.hasWaited = true
                        if report.isFinal { waits.losses += 1 }
                        return waits.losses
                    }
                    guard report.isFinal else { return .never() }
                    var pauses = Backoff(first: .milliseconds(250), longest: .seconds(2))
                    return pause(pauses.pause(after: losses - 1))
                        .flatMap { [self] _ -> Observable<Bool> in
                            _ = try client()
                            return .never()
                        }
                }
                .take(1)
                .do(onDispose: { withExtendedLifetime(handle) {} })
        }
        .observe(on: settings.scheduler)
    }

    /// Emits once after a while.
    func pause(_ duration: Duration) -> Observable<Int> {
        duration > .zero ? .timer(duration.timeInterval, scheduler: settings.scheduler) : .just(0)
    }

    /// Fails when the manager is closed, and does nothing else.
    func untilClosed<Element: Sendable>() -> Observable<Element> {
        reports.flatMap { _ in Observable<Element>.empty() }.concat(Observable.never()).observe(on: settings.scheduler)
    }
}

extension BluetoothError {
    /// Whether Bluetooth itself is away, and not only the peripheral: what is waited for by a state.
    var isOutage: Bool {
        switch kind {
        case .busUnavailable, .daemonUnavailable, .noAdapter, .adapterOff, .adapterBlocked: true
        case .disconnected(let reason): [.adapter, .daemon, .bus, .suspend].contains(reason)
        default: false
        }
    }

    /// Whether the link was lost, or is not there.
    var isLossOfLink: Bool {
        switch kind {
        case .disconnected(let reason): reason != .requested
        case .notConnected: true
        default: isOutage
        }
    }
}
