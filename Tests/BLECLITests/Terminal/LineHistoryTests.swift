import Foundation
import Glibc
import Testing

@testable import ble_cli

/// The file with the earlier lines of a shell.
final class LineHistoryTests {
    private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ble-cli-\(UUID())").path
    private var path: String { folder + "/state/ble-cli/history" }
    private var history: LineHistory { LineHistory(path: path) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private var text: String? { FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } }

    private func write(_ bytes: [UInt8], mode: Int = 0o600) throws {
        let parent = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
        #expect(
            FileManager.default.createFile(
                atPath: path, contents: Data(bytes), attributes: [.posixPermissions: mode]))
    }

    @Test func `The path is that of the XDG specification`() {
        func path(_ variables: [String: String]) -> String? { LineHistory.ofUser { variables[$0] }.path }
        #expect(path(["XDG_STATE_HOME": "/x", "HOME": "/home/a"]) == "/x/ble-cli/history")
        #expect(path(["XDG_STATE_HOME": "x", "HOME": "/home/a"]) == "/home/a/.local/state/ble-cli/history")
        #expect(path(["HOME": "/home/a"]) == "/home/a/.local/state/ble-cli/history")
        #expect(path([:]) == nil && path(["HOME": ""]) == nil)
        #expect(LineHistory(path: nil).load() == [])
        LineHistory(path: nil).add("read 2A19")
    }

    private func mode(of path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    @Test func `Stores steps, and neither other lines nor those with a space at the start`() throws {
        for line in ["read 2A19", "123456", " read 2A37", "", "# x", "write 2A39 zz", "dance", "pause 1ms # ok"] {
            history.add(line)
        }
        #expect(text == "read 2A19\npause 1ms # ok\n")
        #expect(history.load() == ["read 2A19", "pause 1ms # ok"])
        #expect(try mode(of: path) == 0o600 && mode(of: folder + "/state") == 0o700)
    }

    @Test(arguments: [
        ("pair Lock --passkey 123456", "pair Lock --passkey …"), ("pair --passkey=123456", "pair --passkey=…"),
        ("pair Lock --passkey '12''34'", "pair Lock --passkey …"), ("pair \"--pass\"key 123456", "pair --passkey …"),
        ("decode --key C0:FF:EE:00:00:01=\(key) 2A19 55", "decode --key C0:FF:EE:00:00:01=… 2A19 55"),
        ("decode --key=C0:FF:EE:00:00:01=\(key) 2A19 55", "decode --key=C0:FF:EE:00:00:01=… 2A19 55"),
    ])
    func `Stores a step without its passkey or key`(line: String, stored: String) throws {
        history.add(line)
        #expect(text == stored + "\n")
        // A file of an earlier version is written again.
        try write(Array("read 2A19\n\(line)\n".utf8))
        #expect(history.load() == ["read 2A19", stored])
        #expect(text == "read 2A19\n\(stored)\n")
    }

    private static let key = "00112233445566778899aabbccddeeff"

    @Test func `A file that others can read loses these permissions`() throws {
        try write(Array("read 2A19\n".utf8), mode: 0o644)
        #expect(history.load() == ["read 2A19"])
        #expect(try mode(of: path) == 0o600)
    }

    @Test func `A damaged file gives its harmless lines`() throws {
        try write([0xFF, 0xFE, 0x0A] + Array("read 2A19\n\n\u{1B}[2J\nabc\u{202E}\n\0\npause 1ms".utf8))
        #expect(history.load() == ["read 2A19", "pause 1ms"])
        try write((0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 / 256) })
        for line in history.load() { #expect(Sanitiser.isHarmless(line)) }
    }

    @Test func `A long file is cut to the latest lines`() throws {
        try write(Array((0..<200_000).map { "read @\($0)\n" }.joined().utf8))
        let lines = history.load()
        #expect(lines.count == LineHistory.longest && lines.last == "read @199999")
        #expect(text == lines.map { $0 + "\n" }.joined())
        #expect(history.load() == lines)
    }

    @Test func `A folder, a link or a pipe in place of the file is left alone`() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        #expect(history.load() == [])
        history.add("read 2A19")
        try FileManager.default.removeItem(atPath: path)
        let other = folder + "/other"
        _ = FileManager.default.createFile(atPath: other, contents: Data("pause 1ms\n".utf8))
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
        history.add("read 2A19")
        #expect(history.load() == [] && FileManager.default.contents(atPath: other)?.count == 10)
        try FileManager.default.removeItem(atPath: path)
        #expect(unsafe mkfifo(path, 0o600) == 0)
        history.add("read 2A19")
        #expect(history.load() == [])
    }

    @Test func `A folder that cannot be written is ignored`() {
        let history = LineHistory(path: "/proc/none/ble-cli/history")
        history.add("read 2A19")
        #expect(history.load() == [])
    }

    @Test func `Lines of several shells are all stored`() async {
        let history = history
        await withTaskGroup(of: Void.self) { group in
            for shell in 0..<4 { group.addTask { for line in 0..<50 { history.add("pause \(shell + 1)0\(line)ms") } } }
        }
        #expect(Set(history.load()).count == 200)
    }
}
