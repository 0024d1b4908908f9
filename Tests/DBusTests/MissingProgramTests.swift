import BusTesting
import Testing

@testable import DBus

/// A program that is not installed makes only those tests fail that need it.
struct MissingProgramTests {
    @Test func `A program that is missing is an error that names it`() {
        let error = #expect(throws: MissingProgram.self) { try Subprocess(["no-such-program", "--help"]) }
        #expect(error?.description == "The program no-such-program is missing on PATH: install it.")
    }

    @Test(arguments: [("busctl", "systemd"), ("dbus-send", "dbus-bin"), ("dbus-daemon", "dbus-daemon")])
    func `The error names the Debian package of the program`(program: String, package: String) {
        #expect(
            MissingProgram(program).description.contains("install Debian's package \(package), as scripts/deps does"))
    }

    @Test func `A bus without a dbus-daemon is an error, not a crash`() {
        #expect(throws: MissingProgram.self) { try PrivateBus.start("no-such-daemon") }
    }
}
