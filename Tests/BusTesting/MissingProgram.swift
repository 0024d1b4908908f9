import Foundation

/// A program that a test requires is not installed.
package struct MissingProgram: Error, CustomStringConvertible {
    private let name: String

    package init(_ name: String) { self.name = name }

    package var description: String {
        let package = Self.packages[name].map { "Debian's package \($0), as scripts/deps does" } ?? "it"
        return "The program \(name) is missing on PATH: install \(package)."
    }

    /// Throws if no folder of PATH has the program.
    package static func check(_ name: String) throws {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        guard
            path.split(separator: ":").contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
            )
        else { throw MissingProgram(name) }
    }

    private static let packages = ["busctl": "systemd", "dbus-daemon": "dbus-daemon", "dbus-send": "dbus-bin"]
}
