import Rx

/// A connection that is made again whenever it is lost, until it is disposed of or given up.
final class Reconnector: Sendable {
    /// The number that all its links have, so that what was discovered in one is valid in the next.
    let number: UInt64
    private let peripheral: Peripheral
    private let access: BlueZAccess
    private let options: ConnectOptions
    private let policy: Reconnection
    private let state: Guarded<State>
    /// How often the link has come up; fails when the whole is over.
    private let epochs = BehaviorSubject<UInt64>(value: 0)
    private let isUp = BehaviorSubject(value: false)
    private let ending = PublishSubject<Peripheral>()

    private struct State {
        var backoff: Backoff
        var epoch: UInt64 = 0
        /// How many attempts in a row have failed.
        var failures = 0
        var upSince: MonotonicTime?
        /// Since when there is no link, where there was to be one.
        var downSince: MonotonicTime?
        var last = BluetoothError(.timedOut)
    }

    init(_ peripheral: Peripheral, _ access: BlueZAccess, _ options: ConnectOptions, _ policy: Reconnection) {
        number = access.peripherals.nextLinkNumber()
        self.peripheral = peripheral
        self.access = access
        self.options = options
        self.policy = policy
        state = Guarded(
            State(
                backoff: Backoff(
                    first: policy.initialDelay, longest: policy.maximumDelay, jitter: policy.jitter, seed: policy.seed))
        )
    }

    /// Connects and connects again. Emits the peripheral when it is connected for the first time.
    func run() -> Observable<Peripheral> {
        let rounds = Observable.deferred { [self] in attempt() }
            .retry(when: { errors in errors.flatMap { [self] in try next(after: $0) } })
        return Observable.merge(
            rounds, expiry(), ending.observe(on: access.settings.scheduler), access.untilClosed()
        )
        .distinctUntilChanged()
        .catch { [self] error in
            throw (error as? BluetoothError)?.during(.connect, peripheral.address.description) ?? error
        }
    }

    /// Ends it from outside.
    func end(_ cause: BluetoothError) { ending.onError(cause) }

    /// It is over; who waits for the link to come back waits no more.
    func failResumptions(_ cause: BluetoothError) { epochs.onError(cause) }

    /// Since when it tries to connect again, and the last reason for which it has to; nil where it does not.
    var outage: (since: MonotonicTime, cause: BluetoothError)? {
        state.withLock { state in state.downSince.map { ($0, state.last) } }
    }

    // MARK: Attempts

    private func attempt() -> Observable<Peripheral> {
        access.waitUntilUsable(peripheral.adapterSelection).flatMap { [self] hasWaited -> Observable<Peripheral> in
            if hasWaited { state.withLock { $0.failures = 0 } }
            return found()
        }
        .flatMap { [self] peripheral in
            peripheral.link(LinkRequest(number: number, existing: options.existingLink, awaitsServices: true))
        }
        .do(onNext: { [self] _ in cameUp() })
    }

    /// The peripheral, once bluetoothd knows it: a new one has no memory of what was never paired, and an old one forgets such
    /// a device half a minute after it was last heard (Q59), so it is scanned for.
    private func found() -> Observable<Peripheral> {
        let peripheral = peripheral
        let known: Observable<Bool> = access.stream { client, emitter in
            client.onStateKnown { client in emitter.finish(client.mirror.devices[peripheral.key] != nil) }
        }
        return known.flatMap { [access] isKnown -> Observable<Peripheral> in
            if isKnown { return .just(peripheral) }
            let gone = BluetoothError(.peripheralGone)
            return access.scan([], ScanOptions(allowsDuplicates: true), on: peripheral.adapterSelection)
                .map(\.peripheral).filter { $0 === peripheral }.take(1)
                .timeout(
                    access.settings.deadlines.connect.timeInterval, other: Observable.error(gone),
                    scheduler: access.settings.scheduler)
        }
    }

    private func cameUp() {
        let epoch = state.withLock { state in
            state.epoch += 1
            state.upSince = access.settings.now
            state.downSince = nil
            return state.epoch
        }
        isUp.onNext(true)
        epochs.onNext(epoch)
    }

    /// Emits when it is time for the next attempt; throws where there is to be none.
    private func next(after error: any Error) throws -> Observable<Int> {
        guard let error = error as? BluetoothError else { throw error }
        isUp.onNext(false)
        let now = access.settings.now
        let (failures, pause): (Int, Duration) = state.withLock { state in
            let duration = access.settings.elapsed(since: state.upSince)
            state.upSince = nil
            state.downSince = state.downSince ?? now
            state.last = error
            // What Bluetooth itself does is not the peripheral's failure.
            if duration >= Reconnection.minimumStableDuration {
                state.failures = 0
            } else if !error.isOutage {
                state.failures += 1
            }
            let pause = state.backoff.pause(after: error.isOutage ? 0 : max(0, state.failures - 1))
            return (state.failures, pause)
        }
        switch error.kind {
        case .closed, .disconnected(.requested): throw error
        default: break
        }
        if policy.shouldGiveUp(error) { throw error }
        // Without a failure there is no last one, however few are allowed.
        if let attempts = policy.attempts, failures >= max(1, attempts) { throw error }
        access.settings.eventLog.debug(.reconnection(peripheral, error, failures: failures, again: pause))
        return access.pause(pause)
    }

    /// Fails when there was no link for as long as is allowed.
    private func expiry() -> Observable<Peripheral> {
        guard let limit = policy.limit else { return .never() }
        return isUp.distinctUntilChanged().flatMapLatest { [self] isUp -> Observable<Peripheral> in
            guard !isUp else { return .never() }
            return access.pause(limit).map { [self] _ in throw state.withLock(\.last) }
        }
    }

    // MARK: What goes on over it

    /// How often the link has come up.
    var epoch: UInt64 { state.withLock(\.epoch) }

    /// Emits when the link has come up again, for what ran in that epoch and failed; throws where the failure is not a lost
    /// link, and fails when the whole is over.
    func resumption(after error: any Error, in epoch: UInt64) throws -> Observable<UInt64> {
        guard let loss = error as? BluetoothError, loss.isLossOfLink else { throw error }
        return epochs.filter { $0 > epoch }.take(1).observe(on: access.settings.scheduler)
            .catch { cause in
                throw (cause as? BluetoothError)?.with(loss.operation ?? .connect, loss.target) ?? cause
            }
    }
}

extension Peripheral {
    /// A connection under supervision; refused while there is another.
    func reconnecting(_ options: ConnectOptions, _ policy: Reconnection) -> Observable<Peripheral> {
        Observable.deferred { [self] in
            guard let access = present else { throw BluetoothError(.closed) }
            if let limit = policy.limit, limit <= .zero {
                let error = BluetoothError(.invalidArgument, dbusMessage: "Reconnection.limit must be longer than zero")
                throw error.during(.connect, address.description)
            }
            let reconnector = Reconnector(self, access, options, policy)
            guard claim(reconnector) else {
                throw BluetoothError(.alreadyConnected, operation: .connect, target: address.description)
            }
            return reconnector.run()
                // Before the error is told, so that who hears it may connect again at once (S15).
                .do(
                    onError: { [self] error in
                        release(reconnector, (error as? BluetoothError) ?? BluetoothError(.disconnected(.unknown)))
                    },
                    onDispose: { [self] in release(reconnector, BluetoothError(.disconnected(.requested))) })
        }
    }

    private func release(_ reconnector: Reconnector, _ cause: BluetoothError) {
        if free(reconnector) { reconnector.failResumptions(cause) }
    }

    /// What goes on when the link comes up again, where it belongs to a supervised connection (S78): the stream is subscribed
    /// to anew each time, and its failures by a lost link are not told. `link` is the connection that it belongs
    /// to; nil for whichever there is.
    func resumingAfterReconnect<Element: Sendable>(
        _ stream: Observable<Element>, link: UInt64? = nil
    ) -> Observable<Element> {
        Observable.deferred { [self] in
            guard let reconnector, link == nil || link == reconnector.number else { return stream }
            let epoch = Guarded(UInt64(0))
            return Observable.deferred {
                let current = reconnector.epoch
                epoch.withLock { $0 = current }
                return stream
            }
            .retry(when: { errors in
                errors.flatMap { try reconnector.resumption(after: $0, in: epoch.withLock { $0 }) }
            })
        }
    }
}
