import Foundation
import TestTraits
import Testing

@testable import ble_cli

/// Runs `ble-cli record` as a process, and opens its files with tshark.
@Suite(.timeLimit(.minutes(5)))
struct RecordProcessTests {
    /// The path of tshark; nil if it is not installed.
    private static let tshark = ["/usr/bin/tshark", "/usr/local/bin/tshark"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test(.proves(.S138), arguments: [SIGINT, SIGKILL])
    func `A recording that is interrupted or killed can be imported`(_ signal: Int32) async throws {
        try await withFolder { folder in
            let path = folder + "/scan.pcapng"
            let program = CLIProcess("record", path, "--simulate")
            // Waits until the file has some packets.
            while (FileManager.default.contents(atPath: path)?.count ?? 0) < 2_000 {
                try Task.checkCancellation()
                await Task.yield()
            }
            if signal == SIGKILL { try program.killChild() } else { program.signal(signal) }
            let end = await program.end()
            if signal == SIGINT {
                #expect(end.code == 130)
                #expect(end.errorLines.contains { $0.contains("Recorded ") })
            }
            let imported = await CLIProcess("import", path).end()
            #expect(imported.code == 0, "\(imported.errors)")
            #expect(imported.output.contains("Heart rate strap"))
            // After a kill, only the last packet may be incomplete.
            let notes = imported.errorLines.filter { !$0.isEmpty }
            #expect(notes.count <= (signal == SIGINT ? 0 : 1), "\(notes)")
            #expect(notes.allSatisfy { $0.contains("The file ends within packet ") }, "\(notes)")
        }
    }

    @Test(.proves(.S137), .enabled(if: tshark != nil, "tshark is not installed"), arguments: ["t.pcapng", "t.btsnoop"])
    func `tshark finds no malformed packet in a recording, and shows its values`(_ name: String) async throws {
        try await withFolder { folder in
            let path = folder + "/" + name
            // A busy machine needs longer to connect.
            var values = ""
            for limit in ["5s", "20s", "80s"] where !values.contains("Temperature: 2350") {
                let recorded = await CLIProcess("record", path, "Thermometer", "--for", limit, "--simulate").end()
                #expect(recorded.code == 0, "\(recorded.errors)")
                values = try Self.show(path, "-Y", "btatt.opcode == 0x0b", "-O", "btatt")
            }
            let errors = try Self.show(path, "-Y", "_ws.malformed || _ws.expert.severity >= 6291456")
            #expect(errors.isEmpty, "\(errors)")
            let packets = try Self.show(path, "-T", "fields", "-e", "btcommon.eir_ad.entry.device_name")
            #expect(packets.contains("Thermometer"))
            #expect(values.contains("Temperature: 2350"), "\(values.prefix(2000))")
            #expect(values.contains("Characteristic User Description: Living room"))
            if name.hasSuffix("pcapng") {
                let raw = try #require(FileManager.default.contents(atPath: path))
                #expect(raw.range(of: Data("synthesised by ble-cli record".utf8)) != nil)
            }
        }
    }

    @Test func `A recording on standard output can be imported from a pipe`() async throws {
        let recorded = await CLIProcess("record", "-", "--for", "2s", "--simulate").end()
        #expect(recorded.code == 0)
        #expect(recorded.output.contains("synthesised by ble-cli record"))
        #expect(!FileManager.default.fileExists(atPath: "-"))
    }

    @Test func `A file is kept if the device is not found`() async throws {
        try await withFolder { folder in
            let path = folder + "/good.pcapng"
            try Data("content".utf8).write(to: URL(fileURLWithPath: path))
            let failed = await CLIProcess("record", path, "typo", "--for", "2s", "--simulate").end()
            #expect(failed.code == 2)
            #expect(FileManager.default.contents(atPath: path) == Data("content".utf8))
            let recorded = await CLIProcess("record", path, "--for", "1s", "--simulate").end()
            #expect(recorded.code == 0)
            #expect(FileManager.default.contents(atPath: path)?.starts(with: Data([0x0A, 0x0D, 0x0D, 0x0A])) == true)
        }
    }

    /// Returns the output of tshark for a file.
    private static func show(_ path: String, _ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(tshark))
        process.arguments = ["-r", path] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self)
    }
}
