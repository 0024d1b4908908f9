import RxBluetoothMocks
import RxTest
import Synchronization
import Testing

/// Mistakes in calls of the controls, which a test reports as its failures.
struct SimulationMistakeTests {
    private let simulation = Simulation(.everyday, scheduler: TestScheduler(initialClock: 0, resolution: 0.001))
    private let mistakes = Mistakes()

    private final class Mistakes: Sendable {
        private let all = Mutex<[SimulationMistake]>([])
        func add(_ mistake: SimulationMistake) { all.withLock { $0.append(mistake) } }
        var taken: [SimulationMistake] { all.withLock { $0 } }
    }

    init() { simulation.bluez.reportMistakes { [mistakes] in mistakes.add($0) } }

    @Test func `A wrong address is reported with file and line, and the process continues`() {
        let line = #line + 1
        simulation.bluez.dropLink(to: "C0:00:00:00:00:99")
        let mistake = mistakes.taken.first
        #expect(mistake?.description == "No peripheral of this simulation has the address “C0:00:00:00:00:99”.")
        #expect(mistake?.fileID == #fileID && mistake?.line == line)
    }

    @Test func `Each control with a wrong name is reported, and has no effect`() {
        let bluez = simulation.bluez
        let wrong = "C0:00:00:00:00:99"
        bluez.setStrength(-50, of: wrong)
        bluez.setInRange(false, wrong)
        bluez.advertise(nil, from: wrong)
        bluez.setConnection(SimulatedConnection(), of: wrong)
        bluez.loseBond(of: wrong)
        bluez.notify([1], from: wrong, "2a37")
        bluez.setValue([1], of: "C0:FF:EE:00:00:01", "2a6e")
        bluez.setValue([1], of: "C0:FF:EE:00:00:01", "heart")
        bluez.changeServices(of: wrong, to: [])
        bluez.rotateAddress(of: wrong)
        bluez.rotateAddress(of: "C0:FF:EE:00:00:01", to: "nonsense")
        bluez.serveChannel(.echo(), psm: 128, of: wrong)
        bluez.openChannel(.echo(), from: wrong, psm: 128)
        #expect(mistakes.taken.count == 13)
        #expect(Set(mistakes.taken.map(\.line)).count == 13)
    }
}
