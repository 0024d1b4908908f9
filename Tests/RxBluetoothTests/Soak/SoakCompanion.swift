import RxBluetooth
import RxBluetoothMocks
import SoakTesting

/// What one cycle of the soak test does besides its pipelines: published services with a central, and the adapter.
final class SoakCompanion {
    private let publishing: Recording<PublishedServices>?
    private let adapter: [Recording<Bool>]
    /// The actions of the cycle, with their times in milliseconds.
    let script: [(time: Int, action: () -> Void)]

    init(_ stage: Stage, _ dice: inout Dice) {
        let manager = stage.manager
        let stored = Guarded([UInt8]([1]))
        let service = LocalService(
            0xFFA0,
            characteristics: [
                LocalCharacteristic(
                    0xFFA1, [.read, .write],
                    onRead: { _ in .just(stored.withLock { $0 }) },
                    onWrite: { request in
                        stored.withLock { $0 = request.value }
                        return .empty()
                    }),
                LocalCharacteristic(
                    0xFFA2, .notify,
                    updates: Observable<Int>.interval(.milliseconds(50), scheduler: stage.scheduler)
                        .map { [UInt8($0 % 256)] }),
            ])
        publishing = Bool.random(using: &dice) ? stage.record(manager.publish([service])) : nil
        adapter = [
            stage.record(manager.isScanning),
            stage.record(manager.ready(within: .seconds(3)).andThen(Observable.just(true))),
        ]
        var script: [(time: Int, action: () -> Void)] = []
        if publishing != nil {
            let central = stage.simulation.bluez.connectCentral(mtu: 100)
            script.append((Int.random(in: 0...200, using: &dice), { central.connect() }))
            script.append(
                (
                    Int.random(in: 100...400, using: &dice),
                    {
                        _ = (central.read("ffa1"), central.write([2], to: "ffa1"))
                        central.subscribe(to: "ffa2")
                    }
                ))
            script.append((Int.random(in: 300...2_000, using: &dice), { central.disconnect() }))
        }
        if Int.random(in: 0..<6, using: &dice) == 0 {
            let time = Int.random(in: 0...1_500, using: &dice)
            script.append((time, { _ = manager.setPowered(false).subscribe(onError: { _ in }) }))
            script.append((time + 100, { _ = manager.setPowered(true).subscribe(onError: { _ in }) }))
        }
        self.script = script
    }

    /// Ends everything. Returns what was not as expected.
    func end() -> [String] {
        var findings: [String] = []
        // Publishing survives all outages.
        if let error = publishing?.error { findings.append("publishing has failed: \(error)") }
        if !adapter[0].isLive { findings.append("the state of scanning has ended") }
        publishing?.dispose()
        for recording in adapter { recording.dispose() }
        return findings
    }
}
