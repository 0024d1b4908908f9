import Foundation
import Testing

/// A message bus with a simulated bluetoothd, which client programs use as the system bus.
protocol SimulatedSystemBus {
    /// The address of the bus.
    var bus: String { get }
}

extension SimulatedSystemBus {
    /// Runs a program with this bus as the system bus until it exits, for at most 60 s.
    func run(_ words: [String]) throws -> (code: Int32, output: String) {
        let output = Pipe()
        let program = try ClientPrograms.process(words, bus: bus, limit: 60, output: output)
        try program.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        program.waitUntilExit()
        return (program.terminationStatus, text)
    }

    /// Runs a step of the Bleak program, and returns the objects that it printed.
    func bleak(_ step: String, _ addresses: String...) throws -> [[String: Any]] {
        try python("bleak_client.py", step, addresses.joined(separator: ","))
    }

    /// Runs one of the Python programs, and returns the objects that it printed.
    ///
    /// - Parameter usesDebianPython: Whether to use Debian's Python, which has the modules of Debian packages.
    func python(_ script: String, usesDebianPython: Bool = false, _ words: String...) throws -> [[String: Any]] {
        let python = usesDebianPython ? "/usr/bin/python3" : try #require(ClientPrograms.python)
        return try Self.objects(in: try run([python, ClientPrograms.file(script)] + words))
    }

    /// Returns the objects that a program has printed. Records an issue and throws if the program has failed.
    static func objects(in end: (code: Int32, output: String)) throws -> [[String: Any]] {
        try #require(end.code == 0, "\(end.output)")
        return try end.output.split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
    }
}
