import Rx
import RxBluetooth

/// The execution of steps. Each ends with `stepEnded` when the scan has begun again, or is cancelled at its limit.
extension AdapterSupervisor {
    func run(_ step: RecoveryStep) {
        stopRunning()
        switch step {
        case .restartScan:
            endScan()
            scanAgain()
        case .otherSource:
            switchSource()
            endScan()
            scanAgain()
        case .newSession: replaceManager()
        case .powerCycle: powerCycle()
        case .reset: resetRadio()
        case .otherAdapter: beginSubstitute()
        }
    }

    /// Gives up a step, so that the scan continues without it.
    func cancel(_ step: RecoveryStep) {
        stopRunning()
        if step == .otherAdapter { endSubstitute() }
        if manager == nil { openManager() }
        restorePower()
        scan()
    }

    private func stopRunning() {
        for task in running { task.dispose() }
        running = []
    }

    /// Begins to scan, and ends the step when bluetoothd has started the discovery.
    private func scanAgain() {
        guard let manager else { return }
        let me = loop.bound(WeakReference(self))
        let hasBegun = manager.events.filter { if case .scanBegan = $0.kind { true } else { false } }.take(1)
        running.append(hasBegun.subscribe(onNext: { _ in me.value.object?.ended() }))
        scan()
    }

    private func ended(_ error: (any Error)? = nil, of step: RecoveryStep? = nil) {
        let reason = error.map { ($0 as? BluetoothError)?.code ?? "\($0)" }
        if let step, (error as? BluetoothError)?.kind == .unauthorized { refuse(step) }
        if error != nil {
            stopRunning()
            restorePower()
            scan()
        }
        perform(recovery.stepEnded(reason, at: loop.monotonicTime))
    }

    func replaceManager() {
        let me = loop.bound(WeakReference(self))
        // The new session begins after the end of the old one, but a bus that does not answer must not delay it.
        running.append(endManager().subscribe(onCompleted: { me.value.object?.beginNewSession() }))
        running.append(loop.schedule(after: .seconds(1)) { me.value.object?.beginNewSession() })
    }

    private func beginNewSession() {
        guard manager == nil, !isClosed else { return }
        stopRunning()
        openManager()
        scanAgain()
    }

    private func powerCycle() {
        guard let manager else { return }
        endScan()
        beginOwnOutage()
        switchOn(manager.setPowered(false).andThen(manager.setPowered(true)), .powerCycle)
    }

    private func resetRadio() {
        guard let manager, let reset, let name else { return ended(BluetoothError(.noAdapter), of: .reset) }
        endScan()
        beginOwnOutage()
        // The report that the radio is unblocked or plugged in again follows the reset.
        let isBack = manager.obstacle.filter { $0?.kind != .blocked && $0?.kind != .noAdapter }.take(1)
        switchOn(
            reset(name).andThen(isBack.ignoreElements().asCompletable()).andThen(manager.setPowered(true)), .reset)
    }

    private func switchOn(_ work: Completable, _ step: RecoveryStep) {
        let me = loop.bound(WeakReference(self))
        running.append(
            work.subscribe(
                onCompleted: { me.value.object?.switchedOn() },
                onError: { me.value.object?.ended($0, of: step) }))
    }

    private func switchedOn() {
        scanAgain()
        endOwnOutage()
    }
}
