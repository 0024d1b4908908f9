import Rx
import RxBluetooth
import RxBluetoothMocks
import RxTest
import Testing

@testable import Gateway

@Suite struct AdapterSetTests {
    @Test func `All adapters are supervised if none is named`() {
        let stage = AdapterStage([])
        stage.advance(.seconds(30))
        #expect(stage.names == ["hci0", "hci1"])
        #expect(stage.heard.keys.sorted() == ["hci0", "hci1"])
        #expect(stage.close())
    }

    @Test(arguments: ["hci1", "00:1A:7D:DA:71:02", "00:1a:7d:da:71:02"])
    func `Only the named adapters are supervised`(_ name: String) {
        let stage = AdapterStage([name])
        stage.advance(.seconds(30))
        #expect(stage.names == ["hci1"])
        #expect(stage.heard.keys.sorted() == ["hci1"])
        #expect(stage.close())
    }

    @Test func `An adapter that is plugged in later is supervised, also under another name`() {
        let stage = AdapterStage([], adapters: 1)
        stage.advance(.seconds(30))
        stage.bluez.addAdapter(SimulatedAdapter(address: "00:1A:7D:DA:71:02"), as: 1)
        stage.advance(.seconds(30))
        #expect(stage.names == ["hci0", "hci1"])
        stage.bluez.replugAdapter(1, as: 4)
        stage.heard = [:]
        stage.advance(.seconds(30))
        #expect(stage.all.supervisors.count == 2 && stage.names == ["hci0", "hci4"])
        #expect(stage.heard.keys.sorted() == ["hci0", "hci4"])
        #expect(stage.close())
    }

    @Test func `Another adapter takes over from a silent one, and stops when it receives again`() {
        var settings = RecoverySettings()
        settings.allowsOtherAdapter = true
        let stage = AdapterStage(["hci0"], settings: settings)
        stage.advance(.seconds(120))
        #expect(stage.names == ["hci0"])
        stage.bluez.silenceController(until: .plugIn)
        stage.heard = [:]
        stage.advance(.seconds(90))
        #expect(stage.names == ["hci0", "hci1"], "\(stage.reports)")
        #expect((stage.heard["hci1"] ?? 0) > 10 && stage.heard["hci0"] == nil)
        stage.bluez.replugAdapter(0, as: 0)
        stage.heard = [:]
        stage.advance(.seconds(60))
        #expect(stage.names == ["hci0"], "\(stage.reports)")
        #expect((stage.heard["hci0"] ?? 0) > 10)
        // It takes over again the next time.
        stage.bluez.silenceController(until: .plugIn)
        stage.advance(.seconds(90))
        #expect(stage.names == ["hci0", "hci1"], "\(stage.reports)")
        #expect(stage.close())
    }

    @Test func `Without permission, no other adapter takes over`() {
        let stage = AdapterStage(["hci0"])
        stage.advance(.seconds(120))
        stage.bluez.silenceController(until: .plugIn)
        stage.advance(.seconds(600))
        #expect(stage.names == ["hci0"] && stage.heard["hci1"] == nil)
        #expect(stage.close())
    }
}

/// Several simulated adapters in virtual time.
private final class AdapterStage {
    let scheduler = TestScheduler(initialClock: 0, resolution: 0.001, simulateProcessingDelay: false)
    let simulation: Simulation
    let all: AdapterSet
    private(set) var reports: [String] = []
    /// How many advertisements each adapter has received.
    var heard: [String: Int] = [:]

    init(_ selected: [String], adapters: Int = 2, settings: RecoverySettings = RecoverySettings()) {
        let peripherals = (0..<5).map { number in
            SimulatedPeripheral("Sensor", address: "C0:FF:EE:00:00:\(10 + number)") {
                SimulatedAdvertisement(every: .seconds(2), rssi: -50, manufacturerData: [1: [UInt8(number)]])
            }
        }
        let hardware = (1...adapters).map { SimulatedAdapter(address: "00:1A:7D:DA:71:0\($0)") }
        let scheduler = scheduler
        let simulation = Simulation(Scenario(adapters: hardware, peripherals: peripherals), scheduler: scheduler)
        self.simulation = simulation
        all = AdapterSet(
            selected, loop: GatewayLoop(scheduler: scheduler, monotonicTime: { .milliseconds(scheduler.clock) }),
            settings: settings
        ) {
            BluetoothManager(configuration: .init(adapter: $0, scheduler: scheduler), bus: simulation.connect())
        }
        all.onResult = { [unowned self] in heard[$1.status.name ?? "", default: 0] += 1 }
        all.onReport = { [unowned self] in reports.append($0.text) }
        all.start()
    }

    var bluez: SimulatedBlueZ { simulation.bluez }
    var names: [String] { all.supervisors.compactMap(\.status.name) }

    func advance(_ duration: Duration) { scheduler.advanceBy(Int(duration / .milliseconds(1))) }

    func close() -> Bool {
        let isClosed = Guarded(false)
        all.close { isClosed.withLock { $0 = true } }
        advance(.seconds(20))
        return isClosed.withLock { $0 }
    }
}
