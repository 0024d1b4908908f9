import Rx

extension BlueZAccess {
    /// Returns the scan of ``BluetoothManager/scanForPeripherals(withServices:options:)``.
    func scan(
        _ services: [BluetoothUUID], _ options: ScanOptions, on selection: AdapterSelection
    ) -> Observable<ScannedPeripheral> {
        if let flaw = options.flaw { return refused(flaw) }
        let scan = Observable<ScannedPeripheral>.deferred { [self] in
            // Each subscription has its own buffer and count.
            let drops = ScanDrops()
            return stream(within: options.buffer.delivery(drops, settings.eventLog)) {
                (client, emitter: Emitter<ScannedPeripheral>) in
                Self.join(client, services, options, selection, emitter, drops) { (emitter, nil) }
            }
        }
        return options.resumes ? resuming(scan, selection) { !$0.isCached } : scan
    }

    /// Returns the stream of ``BluetoothManager/observePresence(withServices:options:presence:)``.
    func presence(
        _ services: [BluetoothUUID], _ options: ScanOptions, _ presenceOptions: PresenceOptions,
        on selection: AdapterSelection
    ) -> Observable<PresenceChange> {
        if let flaw = options.flaw ?? presenceOptions.flaw { return refused(flaw) }
        var options = options
        options.allowsDuplicates = true
        options.includesKnown = false
        let presence = stream { [options] (client, emitter: Emitter<PresenceChange>) in
            Self.join(client, services, options, selection, emitter) {
                let presence = PresenceTracker(client, presenceOptions, emitter)
                return (presence.listener(), presence)
            }
        }
        guard options.resumes else { return presence }
        // A cached result does not prove that the scan works: a connected peripheral is found without an advertisement.
        return resuming(presence, selection) { change in
            if case .found(let scanned) = change { !scanned.isCached } else { false }
        }
    }

    private func refused<Element: Sendable>(_ flaw: String) -> Observable<Element> {
        Observable.error(BluetoothError(.invalidArgument, detail: flaw).during(.scan, nil))
            .observe(on: settings.scheduler)
    }

    /// Adds a subscriber to the scan session of an adapter as soon as the state of Bluetooth is known.
    private static func join<Element: Sendable>(
        _ client: BlueZClient, _ services: [BluetoothUUID], _ options: ScanOptions, _ selection: AdapterSelection,
        _ emitter: Emitter<Element>, _ drops: ScanDrops = ScanDrops(),
        as listener: @escaping () -> (Emitter<ScannedPeripheral>, PresenceTracker?)
    ) {
        client.begin(.scan, nil, emitter) { (client, _) throws(BluetoothError) in
            let adapter = try client.chooseAdapter(selection)
            let (observer, presence) = listener()
            try client.scans.add(
                ScanSubscriber(
                    services: services, options: options, selection: selection, emitter: observer,
                    presence: presence, drops: drops),
                on: adapter)
        }
    }

    /// Returns a scan that starts again after temporary failures.
    ///
    /// - Parameter provesScanning: Returns whether an element proves that the scan works. After such an element, the
    ///   pauses begin again with the shortest.
    private func resuming<Element: Sendable>(
        _ single: Observable<Element>, _ selection: AdapterSelection,
        provesScanning: @escaping @Sendable (Element) -> Bool
    ) -> Observable<Element> {
        Observable.deferred { [self] in
            let failures = Guarded(0)
            let scan = Observable.deferred { [self] in waitUntilUsable(selection) }
                .flatMap { hasWaited -> Observable<Element> in
                    if hasWaited { failures.withLock { $0 = 0 } }
                    return single
                }
                .do(onNext: { if provesScanning($0) { failures.withLock { $0 = 0 } } })
                .retry(when: { errors in
                    errors.flatMap { [self] error in
                        let count = failures.withLock { failures in
                            failures += 1
                            return failures
                        }
                        let again = try Self.pauseOfScan(after: error, failures: count)
                        if let error = error as? BluetoothError {
                            settings.eventLog.info(.scanInterrupted(error, again: again))
                        }
                        return pause(again)
                    }
                })
            return Observable.merge(scan, untilClosed())
                .catch { throw ($0 as? BluetoothError)?.during(.scan, nil) ?? $0 }
        }
    }

    /// Returns the pause before the next start. Throws the error if a retry cannot succeed.
    ///
    /// If the first failure is an outage, there is no pause: the retry begins by waiting until Bluetooth is usable.
    private static func pauseOfScan(after error: any Error, failures: Int) throws -> Duration {
        guard let error = error as? BluetoothError else { throw error }
        switch error.kind {
        case .busy, .timedOut, .resourceExhausted, .bluez: break
        default: if !error.isOutage { throw error }
        }
        if error.isOutage, failures == 1 { return .zero }
        var backoff = Backoff(first: .milliseconds(250), longest: .seconds(30))
        return backoff.pause(after: failures - 1)
    }
}

extension ScanOptions {
    /// Why these options are invalid; nil if they are valid.
    fileprivate var flaw: String? {
        if let restartsAfterSilence, restartsAfterSilence <= .zero {
            return "ScanOptions.restartsAfterSilence must be longer than zero"
        }
        guard let patterns else { return nil }
        if patterns.isEmpty { return "A passive scan needs at least one AdvertisementPattern" }
        return patterns.lazy.compactMap(\.flaw).first
    }
}

extension PresenceOptions {
    /// Why these options are invalid; nil if they are valid.
    fileprivate var flaw: String? {
        silence > .zero ? nil : "PresenceOptions.silence must be longer than zero"
    }
}
