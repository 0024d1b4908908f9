import Rx

/// A connection that is made again after each link loss, until it is disposed of or given up.
final class Reconnector: Sendable {
    /// The number that all links of this connection have. So attributes of one link stay valid in the next.
    let number: UInt64
    private let peripheral: Peripheral
    private let access: BlueZAccess
    private let options: ConnectOptions
    private let policy: Reconnection
    /// The kind of the address, if bluetoothd need not have the device.
    private let addressKind: BluetoothAddress.Kind?
    private let state: Guarded<State>
    /// Emits how often the link has come up; fails when the connection has ended.
    private let epochs = BehaviorSubject<UInt64>(value: 0)
    private let isUp = BehaviorSubject(value: false)
    private let ending = PublishSubject<Peripheral>()

    /// The attempts and links so far.
    private struct State {
        var backoff: Backoff
        var epoch: UInt64 = 0
        /// The number of consecutive failed attempts.
        var failures = 0
        var upSince: MonotonicTime?
        /// When the link was lost, or the first attempt failed; nil while the link is up.
        var downSince: MonotonicTime?
        var last = BluetoothError(.timedOut)
        /// The Database Hash of the peripheral; nil if there is none.
        var databaseHash: [UInt8]?
    }

    init(
        _ peripheral: Peripheral, _ access: BlueZAccess, _ options: ConnectOptions, _ policy: Reconnection,
        _ addressKind: BluetoothAddress.Kind?
    ) {
        number = access.peripherals.nextLinkNumber()
        self.peripheral = peripheral
        self.access = access
        self.options = options
        self.policy = policy
        self.addressKind = addressKind
        // In virtual time, delays are the same in each run.
        let isVirtual = !(access.settings.scheduler is any RealTimeScheduler)
        let seed = policy.seed ?? (isVirtual ? peripheral.address.number : nil)
        state = Guarded(
            State(
                backoff: Backoff(
                    first: policy.initialDelay, longest: policy.maximumDelay, jitter: policy.jitter, seed: seed)))
    }

    /// Connects, and reconnects after each link loss. Emits the peripheral when it is first connected.
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

    /// Ends the connection with a cause.
    func end(_ cause: BluetoothError) { ending.onError(cause) }

    /// Fails the streams that wait for the link to return, because the connection has ended.
    func failResumptions(_ cause: BluetoothError) { epochs.onError(cause) }

    /// When the present outage of the link began, and its last cause; nil if there is no outage.
    var outage: (since: MonotonicTime, cause: BluetoothError)? {
        state.withLock { state in state.downSince.map { ($0, state.last) } }
    }

    // MARK: Attempts

    private func attempt() -> Observable<Peripheral> {
        access.waitUntilUsable(peripheral.adapterSelection).flatMap { [self] hasWaited -> Observable<Peripheral> in
            if hasWaited { state.withLock { $0.failures = 0 } }
            return addressKind == nil ? found() : .just(peripheral)
        }
        .flatMap { [self] peripheral in
            peripheral.link(
                LinkRequest(
                    number: number, existing: options.existingLink, keepsOpen: options.keepsLinkOpen,
                    awaitsServices: true, addressKind: addressKind))
        }
        .do(onNext: { [self] _ in recordLinkUp() })
    }

    /// Emits the peripheral when bluetoothd has the device; scans for the device if necessary.
    ///
    /// A new bluetoothd has no devices that were never paired. A running bluetoothd removes such a device half a minute
    /// after its last advertisement (Q59).
    private func found() -> Observable<Peripheral> {
        let peripheral = peripheral
        let known: Observable<Bool> = access.stream { client, emitter in
            client.onDevicesKnown { client in emitter.finish(client.mirror.devices[peripheral.key] != nil) }
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

    private func recordLinkUp() {
        let epoch = state.withLock { state in
            state.epoch += 1
            state.upSince = access.settings.now
            state.downSince = nil
            return state.epoch
        }
        isUp.onNext(true)
        epochs.onNext(epoch)
    }

    /// Returns a stream that emits when the next attempt is due. Throws if there is no next attempt.
    private func next(after error: any Error) throws -> Observable<Int> {
        guard let error = error as? BluetoothError else { throw error }
        isUp.onNext(false)
        let now = access.settings.now
        let (failures, pause): (Int, Duration) = state.withLock { state in
            let duration = access.settings.elapsed(since: state.upSince)
            state.upSince = nil
            state.downSince = state.downSince ?? now
            state.last = error
            // A stable link resets the count of failures. An outage of Bluetooth itself is not a failure of the
            // peripheral.
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
        // At least one attempt must fail before the reconnection is given up, even if `attempts` is not positive.
        if let attempts = policy.attempts, failures >= max(1, attempts) { throw error }
        access.settings.eventLog.debug(.reconnection(peripheral, error, failures: failures, again: pause))
        return access.pause(pause)
    }

    /// Fails when the link has been missing for longer than the policy allows.
    private func expiry() -> Observable<Peripheral> {
        guard let limit = policy.limit else { return .never() }
        return isUp.distinctUntilChanged().flatMapLatest { [self] isUp -> Observable<Peripheral> in
            guard !isUp else { return .never() }
            return access.pause(limit).map { [self] _ in throw state.withLock(\.last) }
        }
    }

    // MARK: Attributes

    /// Stores the Database Hash of the link. Returns whether the attributes of the earlier link are not valid any more.
    func replaceDatabaseHash(_ hash: [UInt8]?) -> Bool {
        state.withLock { state in
            defer { state.databaseHash = hash }
            return state.databaseHash != nil && state.databaseHash != hash
        }
    }

    // MARK: Streams that resume

    /// The number of times that the link has come up.
    var epoch: UInt64 { state.withLock(\.epoch) }

    /// Returns a stream that emits when the link has come up again after a failure.
    ///
    /// An epoch is the number of times that the link had come up when the failure occurred. Throws if the failure is
    /// not a link loss. The returned stream fails when the connection has ended.
    func resumption(after error: any Error, in epoch: UInt64) throws -> Observable<UInt64> {
        guard let loss = error as? BluetoothError, loss.isLossOfLink else { throw error }
        return epochs.filter { $0 > epoch }.take(1).observe(on: access.settings.scheduler)
            .catch { cause in
                throw (cause as? BluetoothError)?.with(loss.operation ?? .connect, loss.target) ?? cause
            }
    }
}

extension Peripheral {
    /// Returns a connection that reconnects. Fails if the peripheral already has such a connection.
    ///
    /// - Parameter addressKind: The kind of the address, if bluetoothd need not have the device.
    func reconnecting(
        _ options: ConnectOptions, _ policy: Reconnection, _ addressKind: BluetoothAddress.Kind?
    ) -> Observable<Peripheral> {
        Observable.deferred { [self] in
            guard let access = present else { throw BluetoothError(.closed) }
            if let limit = policy.limit, limit <= .zero {
                let error = BluetoothError(.invalidArgument, detail: "Reconnection.limit must be longer than zero")
                return failed(error.during(.connect, address.description))
            }
            let reconnector = Reconnector(self, access, options, policy, addressKind)
            guard claim(reconnector) else {
                return failed(BluetoothError(.alreadyConnected, operation: .connect, target: address.description))
            }
            return reconnector.run()
                // The peripheral is released before the error is delivered, so that the subscriber can connect again at
                // once (S15).
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

    /// Returns a stream that continues when the link returns, if its connection reconnects (S78).
    ///
    /// The stream is subscribed to again each time, and its failures by link loss are not emitted.
    ///
    /// - Parameter link: The number of the connection that the stream belongs to; nil for any connection.
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
