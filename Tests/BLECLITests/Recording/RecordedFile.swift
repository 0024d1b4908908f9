import BluetoothCaptures
import Foundation
import Rx
import RxBluetoothMocks
import ScenarioFiles

@testable import ble_cli

/// A recording in memory.
final class RecordedFile: Sendable {
    private let content = Guarded<[UInt8]>([])
    /// The length of the file after each write.
    private let lengths = Guarded<[Int]>([])
    /// The number of bytes after which writing fails.
    private let room: Int

    init(room: Int = .max) { self.room = room }

    var bytes: [UInt8] { content.withLock { $0 } }

    /// The content of the file after each write.
    var states: [[UInt8]] {
        let bytes = bytes
        return lengths.withLock { $0 }.map { Array(bytes.prefix($0)) }
    }

    func verb(_ name: String, _ target: Target? = nil, for duration: Duration? = nil) -> RecordVerb {
        RecordVerb(file: name, target: target, duration: duration) { [self] _ in
            { bytes in
                let isWritten = self.content.withLock { content in
                    guard content.count + bytes.count <= self.room else { return false }
                    content += bytes
                    return true
                }
                if !isWritten { throw CLIError(.failed, "No space.") }
                let length = self.bytes.count
                self.lengths.withLock { $0.append(length) }
            }
        }
    }

    /// Imports a capture that arrives in chunks. Returns the scenario and the notes.
    static func imported(
        _ bytes: [UInt8], from file: String = "FILE", matching target: Target? = nil, chunk: Int = 1000
    ) throws -> (scenario: String, notes: [String]) {
        var notes: [String] = []
        let text = try ImportCommand.scenario(file, matching: target) { _, receive in
            var rest = bytes[...]
            while !rest.isEmpty {
                try receive(Array(rest.prefix(chunk)))
                rest = rest.dropFirst(chunk)
            }
        } note: {
            notes.append($0)
        }
        return (text, notes)
    }
}

/// Runs work with a new folder, and removes the folder.
func withFolder(_ work: (String) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ble-cli-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await work(folder.path)
}
