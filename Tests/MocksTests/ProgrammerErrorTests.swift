import Foundation
import RxBluetoothMocks
import RxTest
import Testing

/// Checks that wrong names in controls and descriptions trap at the call, with a message.
struct ProgrammerErrorTests {
    private static func error(of result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    /// The line of the wrong call in `drop`.
    ///
    /// The call is outside the exit test, because all code of an exit test has the same line number.
    private static let lineOfMistake = #line + 2
    private static func drop(_ address: String, _ bluez: SimulatedBlueZ) {
        bluez.dropLink(to: address)
    }

    @Test func `A wrong address traps at the call, before time advances`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Self.drop("C0:00:00:00:00:99", Stage().simulation.bluez)
            exit(0)
        }
        let text = Self.error(of: result)
        #expect(text.contains("No peripheral of this simulation has the address “C0:00:00:00:00:99”."), "\(text)")
        #expect(text.contains("ProgrammerErrorTests.swift:\(Self.lineOfMistake)"), "\(text)")
    }

    @Test func `A wrong address in a script traps with the line of the script`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let scenario = Scenario {
                SimulatedPeripheral("Tag", address: "C0:00:00:00:00:02")
                at(.seconds(3)) { Self.drop("nonsense", $0) }
            }
            Stage(scenario).run(.seconds(4))
            exit(0)
        }
        let text = Self.error(of: result)
        #expect(text.contains("No peripheral of this simulation has the address “nonsense”."), "\(text)")
        #expect(text.contains("ProgrammerErrorTests.swift:\(Self.lineOfMistake)"), "\(text)")
    }

    struct Mistake: Codable, CustomTestStringConvertible {
        let name: String
        let text: String
        var testDescription: String { name }
    }

    private static let mistakes = [
        Mistake(name: "setStrength", text: "has the address “X”."),
        Mistake(name: "setInRange", text: "has the address “X”."),
        Mistake(name: "advertise", text: "has the address “X”."),
        Mistake(name: "advertise UUID", text: "“heart” is not a UUID."),
        Mistake(name: "setConnection", text: "has the address “X”."),
        Mistake(name: "setPairing", text: "has the address “X”."),
        Mistake(name: "loseBond", text: "has the address “X”."),
        Mistake(name: "notify", text: "has the address “X”."),
        Mistake(name: "notify UUID", text: "“heart” is not a UUID."),
        Mistake(name: "notify characteristic", text: "“Heart rate strap” has no characteristic 2a6e."),
        Mistake(
            name: "setValue index", text: "“Heart rate strap” has only 1 characteristic 2a37, none with the index 1."),
        Mistake(name: "setValue negative index", text: "none with the index -1."),
        Mistake(name: "reset", text: "has the address “X”."),
        Mistake(name: "changeServices", text: "has the address “X”."),
        Mistake(name: "changeServices UUID", text: "“Heart rate strap” (C0:FF:EE:00:00:01): “heart” is not a UUID."),
        Mistake(name: "old characteristic", text: "“Heart rate strap” has no characteristic 2a37."),
        Mistake(name: "rotateAddress", text: "has the address “X”."),
        Mistake(name: "rotateAddress to", text: "“Y” is not a Bluetooth address."),
        Mistake(name: "rotateAddress taken", text: "Two peripherals have the address C0:FF:EE:00:00:02."),
        Mistake(name: "add twice", text: "Two peripherals have the address C0:FF:EE:00:00:01."),
        Mistake(name: "add", text: "“Tag” (NONE): this is not a Bluetooth address."),
        Mistake(name: "attributes", text: "“Tag” (C0:00:00:00:00:02): its GATT server has 65536 attributes"),
    ]

    private static func make(_ name: String, _ bluez: SimulatedBlueZ) {
        let strap = "C0:FF:EE:00:00:01"
        switch name {
        case "setStrength": bluez.setStrength(-5, of: "X")
        case "setInRange": bluez.setInRange(true, "X")
        case "advertise": bluez.advertise(nil, from: "X")
        case "advertise UUID":
            bluez.advertise(SimulatedAdvertisement(every: .seconds(1), rssi: 1, services: ["heart"]), from: strap)
        case "setConnection": bluez.setConnection(SimulatedConnection(), of: "X")
        case "setPairing": bluez.setPairing(SimulatedPairing(.justWorks), of: "X")
        case "loseBond": bluez.loseBond(of: "X")
        case "notify": bluez.notify([1], from: "X", "2a37")
        case "notify UUID": bluez.notify([1], from: strap, "heart")
        case "notify characteristic": bluez.notify([1], from: strap, "2a6e")
        case "setValue index": bluez.setValue([1], of: strap, "2a37", index: 1)
        case "setValue negative index": bluez.setValue([1], of: strap, "2a37", index: -1)
        case "reset": bluez.reset("X")
        case "changeServices": bluez.changeServices(of: "X", to: [])
        case "changeServices UUID": bluez.changeServices(of: strap, to: [SimulatedService("heart")])
        case "old characteristic":
            bluez.changeServices(of: strap, to: [SimulatedService("180f")])
            bluez.notify([1], from: strap, "2a37")
        case "rotateAddress": bluez.rotateAddress(of: "X")
        case "rotateAddress to": bluez.rotateAddress(of: strap, to: "y")
        case "rotateAddress taken": bluez.rotateAddress(of: strap, to: "c0:ff:ee:00:00:02")
        case "add twice": bluez.add(SimulatedPeripheral("Tag", address: strap))
        case "add": bluez.add(SimulatedPeripheral("Tag", address: "none"))
        case "attributes": bluez.add(full(1))
        default: break
        }
    }

    private static let lineOfSimulation = #line + 2
    private static func simulate(_ scenario: Scenario) {
        _ = Simulation(scenario, scheduler: TestScheduler(initialClock: 0, resolution: 0.001))
    }

    @Test func `A mistake in a scenario traps at the line of the simulation`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            Self.simulate(Scenario { SimulatedPeripheral("Odd", address: "nonsense") })
            exit(0)
        }
        let text = Self.error(of: result)
        #expect(text.contains("“Odd” (NONSENSE): this is not a Bluetooth address."), "\(text)")
        #expect(text.contains("ProgrammerErrorTests.swift:\(Self.lineOfSimulation)"), "\(text)")
    }

    /// Returns a peripheral with `more` attributes in addition to one for each handle.
    private static func full(_ more: Int) -> SimulatedPeripheral {
        // GAP and GATT together have 9 attributes. Each service adds 1 and each characteristic 2.
        SimulatedPeripheral("Tag", address: "C0:00:00:00:00:02") {
            SimulatedAdvertisement(every: .milliseconds(100), rssi: -60)
            SimulatedService("fff0") { for _ in 0..<32_761 { SimulatedCharacteristic("fff1", .read) } }
            SimulatedService("fff2") {
                SimulatedCharacteristic(
                    "fff3", .read, descriptors: Array(repeating: .userDescription(""), count: more))
            }
        }
    }

    // An exit test can capture a value from Swift 6.3 on.
    #if compiler(>=6.3)
        @Test(arguments: mistakes)
        func `Each control traps for an unknown name`(_ mistake: Mistake) async throws {
            let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [mistake] in
                Self.make(mistake.name, Stage().simulation.bluez)
                exit(0)
            }
            let text = Self.error(of: result)
            #expect(text.contains(mistake.text), "\(text)")
            #expect(text.contains("ProgrammerErrorTests.swift:"), "\(text)")
        }
    #endif

    @Test func `More attributes than handles trap with the peripheral's name`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = Stage(Scenario(peripherals: [Self.full(1)]))
            exit(0)
        }
        let text = Self.error(of: result)
        #expect(text.contains("“Tag” (C0:00:00:00:00:02): its GATT server has 65536 attributes"), "\(text)")
    }

    @Test func `A peripheral can have an attribute for each handle`() {
        let stage = Stage(Scenario(peripherals: [Self.full(0)]))
        let tag = "/org/bluez/hci0/dev_C0_00_00_00_00_02"
        stage.connect(tag)
        #expect(stage.property(tag + "/servicefffd/charfffe", "GattCharacteristic1", "UUID") == "0000fff3")
    }

    @Test func `Controls accept a rotated address and the first one`() {
        let stage = Stage()
        let bluez = stage.simulation.bluez
        bluez.rotateAddress(of: "C0:FF:EE:00:00:05", to: "4a:00:00:00:00:05")
        bluez.setStrength(-30, of: "4a:00:00:00:00:05")
        bluez.setStrength(-31, of: "C0:FF:EE:00:00:05")
        // Another peripheral can use the released address. The address then names that peripheral.
        bluez.add(SimulatedPeripheral("Other", address: "C0:FF:EE:00:00:05"))
        bluez.rotateAddress(of: "4A:00:00:00:00:05")
        bluez.rotateAddress(of: "C0:FF:EE:00:00:05", to: "4a:00:00:00:00:06")
        stage.run(.milliseconds(10))
        bluez.setValue([1], of: "4a:00:00:00:00:06", "2a00")
        stage.run(.milliseconds(10))
    }
}
