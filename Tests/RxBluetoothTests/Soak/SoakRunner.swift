import DBus
import RxBluetooth
import RxBluetoothMocks
import SoakTesting
import Testing

/// Runs cycles of the soak test with three sensors, one manager, and random work and faults.
final class SoakRunner {
    static let service: BluetoothUUID = 0xFFF0
    static let reading: BluetoothUUID = 0xFFF1
    static let notifying: BluetoothUUID = 0xFFF2
    static let psm: UInt16 = 128
    private static let addresses = ["C0:FF:EE:00:00:51", "C0:FF:EE:00:00:52", "C0:FF:EE:00:00:53"]
    static let services = [
        SimulatedService("fff0") {
            SimulatedCharacteristic("fff1", .read([1]))
            SimulatedCharacteristic("fff2", .notify(every: .milliseconds(50)) { [UInt8($0 % 256)] })
        }
    ]
    /// A time in milliseconds that is longer than all deadlines together.
    private static let cycleTimeout = 180_000

    let stage: Stage
    private var dice: Dice
    private(set) var tally: [SoakPipeline.Outcome: Int] = [:]
    private(set) var findings: [String] = []
    private(set) var longest = 0
    /// The work and the faults of the current cycle, for reports of failures.
    private var description: [String] = []

    init(seed: UInt64) {
        dice = Dice(seed: seed)
        let sensors = Self.addresses.map { address in
            SimulatedPeripheral("Sensor", address: address) {
                SimulatedAdvertisement(
                    every: .milliseconds(100), rssi: -50, name: "Sensor", services: ["fff0"], firstAfter: .zero)
                Self.services[0]
            }
        }
        let sockets = SimulatedL2CAP()
        stage = Stage(Scenario(peripherals: sensors), channels: sockets)
        sockets.use(stage.simulation)
        for address in Self.addresses { stage.simulation.bluez.serveChannel(.echo(), psm: Self.psm, of: address) }
    }

    /// Runs one cycle: uses one to three sensors at the same time, with up to three faults.
    func cycle(_ number: Int) {
        let pipelines = Self.addresses.shuffled(using: &dice).prefix(Int.random(in: 1...3, using: &dice)).map {
            address in
            SoakPipeline(stage.manager, BluetoothAddress(stringLiteral: address), plan())
        }
        var script: [(time: Int, action: () -> Void)] = []
        description = pipelines.map {
            "\($0.address) with \($0.plan)"
        }
        for pipeline in pipelines where Int.random(in: 0..<3, using: &dice) == 0 {
            script.append((Int.random(in: 0...1_500, using: &dice), { pipeline.giveUp() }))
        }
        let others = SoakCompanion(stage, &dice)
        script += others.script
        for _ in 0..<Int.random(in: 0...3, using: &dice) {
            let (fault, address) = (
                SoakFault.allCases.randomElement(using: &dice) ?? .drop,
                Self.addresses.randomElement(using: &dice) ?? ""
            )
            // Faults of calls begin within 200 ms, because they must begin before the calls that they affect.
            let time = Int.random(in: 0...(fault.isRule ? 200 : 1_500), using: &dice)
            let bluez = stage.simulation.bluez
            let end = time + Int.random(in: 1...4_000, using: &dice)
            script.append((time, { fault.begin(bluez, on: address) }))
            script.append((end, { fault.end(bluez, on: address) }))
            description.append("\(fault) of \(address) from \(time) to \(end)")
        }
        var now = 0
        for (time, action) in script.sorted(by: { $0.time < $1.time }) {
            stage.advance(time - now)
            now = time
            action()
        }
        repairEverything()
        while pipelines.contains(where: \.isLive), now < Self.cycleTimeout {
            stage.advance(250)
            now += 250
        }
        longest = max(longest, now)
        findings += others.end().map { "Cycle \(number): \($0). \(description.joined(separator: "; "))" }
        conclude(number, pipelines)
    }

    private func plan() -> SoakPipeline.Plan {
        SoakPipeline.Plan(
            count: Int.random(in: 2...40, using: &dice), isReconnecting: Int.random(in: 0..<4, using: &dice) == 0,
            isDirect: Int.random(in: 0..<4, using: &dice) == 0,
            use: SoakPipeline.Use.allCases.randomElement(using: &dice) ?? .read,
            options: OperationOptions(
                deadline: Bool.random(using: &dice) ? .seconds(10) : nil,
                priority: OperationOptions.Priority.allCases.randomElement(using: &dice) ?? .normal))
    }

    /// Ends all faults, also those that are scheduled to end before they begin.
    private func repairEverything() {
        let bluez = stage.simulation.bluez
        bluez.removeFaults()
        bluez.start()
        bluez.setBlocked(false)
        bluez.setPower(true)
        for address in Self.addresses { bluez.setInRange(true, address) }
        stage.advance(10)
    }

    private func conclude(_ number: Int, _ pipelines: [SoakPipeline]) {
        for pipeline in pipelines {
            if let outcome = pipeline.outcome {
                tally[outcome, default: 0] += 1
            } else {
                let what = pipeline.isLive ? "stuck at \(pipeline.step)" : "emitted an event after its end"
                findings.append(
                    "Cycle \(number): \(pipeline.address) \(what), \(pipeline.values) values. \(description.joined(separator: "; "))"
                )
                pipeline.giveUp()
            }
        }
        let settled = stage.record(stage.manager.settled())
        stage.advance(20_000)
        if !settled.isCompleted { findings.append("Cycle \(number): the manager has not settled") }
        for address in Self.addresses {
            let path = "/org/bluez/hci0/dev_" + address.replacing(":", with: "_")
            if stage.isLinked(path) { findings.append("Cycle \(number): \(address) is still connected") }
        }
        stage.simulation.bluez.forgetCalls()
    }

    /// Returns the resources after all deadlines have passed.
    func footprint() -> Footprint {
        stage.advance(10 * Self.cycleTimeout)
        return stage.footprint()
    }
}
