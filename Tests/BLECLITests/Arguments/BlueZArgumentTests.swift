import ArgumentParser
import RxBluetoothMocks
import Testing

@testable import ble_cli

/// Tests of the option that selects the simulated version of BlueZ.
struct BlueZArgumentTests {
    @Test func `A version is that of the scenario, unless the option names another`() throws {
        #expect(try ScenarioArgument.parse("everyday", bluez: nil).bluez == .v5_82)
        #expect(try ScenarioArgument.parse("everyday", bluez: " 5.66 ").bluez == .v5_66)
    }

    @Test(arguments: ["5.67", "", "5", "5.82.1", "BlueZ 5.82"])
    func `The error for an unknown version lists the known ones`(_ text: String) {
        let error = #expect(throws: CLIError.self) { try ScenarioArgument.parse("everyday", bluez: text) }
        #expect(error?.text == "BlueZ “\(text)” cannot be simulated. Give one of 5.66, 5.82, 5.87.")
    }

    @Test func `The option implies the simulation`() throws {
        var options = try CommonOptions.parse([])
        #expect(try options.simulated()?.bluez == nil)
        options = try CommonOptions.parse(["--bluez", "5.87"])
        #expect(try options.simulated()?.bluez == .v5_87)
        options = try CommonOptions.parse(["--bluez", "4.0", "--simulate"])
        #expect(throws: CLIError.self) { try options.simulated() }
    }
}
