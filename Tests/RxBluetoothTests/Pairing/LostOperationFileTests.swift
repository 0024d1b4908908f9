import Foundation
import TestTraits
import Testing

@testable import RxBluetooth

/// The file that passes operations that bluetoothd has lost to the next processes.
struct LostOperationFileTests {
    private typealias Entry = LostOperationFile.Entry

    private static let device = "/org/bluez/hci0/dev_C0_FF_EE_00_00_41"

    private static func entry(_ number: Int = 1, needsPairing: Bool = false) -> Entry {
        let path = "\(device)/service0001/char\(String(number, radix: 16))"
        return Entry(slot: .init(path: path, method: "ReadValue"), needsPairing: needsPairing)
    }

    /// Runs a test with a path in a folder that does not exist yet.
    private func withPath(_ body: (String) throws -> Void) rethrows {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lost-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.path + "/lost-operations")
    }

    @Test(.proves(.Q126)) func `Another process reads what one has recorded`() throws {
        try withPath { path in
            let entries = [Self.entry(1), Self.entry(2, needsPairing: true)]
            LostOperationFile(path: path).update(":1.7") { $0 = entries }
            #expect(LostOperationFile(path: path).entries(of: ":1.7") == entries)
            LostOperationFile(path: path).update(":1.7") { $0.removeFirst() }
            #expect(LostOperationFile(path: path).entries(of: ":1.7") == [entries[1]])
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
    }

    @Test(.proves(.Q126)) func `Operations of an earlier bluetoothd are forgotten`() {
        withPath { path in
            let file = LostOperationFile(path: path)
            file.update(":1.7") { $0 = [Self.entry()] }
            #expect(file.entries(of: ":1.70").isEmpty && file.entries(of: "").isEmpty)
            file.update(":1.70") { $0 = [Self.entry(2)] }
            #expect(file.entries(of: ":1.7").isEmpty && file.entries(of: ":1.70") == [Self.entry(2)])
        }
    }

    @Test func `The file has a limit, and the newest operations remain`() {
        withPath { path in
            let file = LostOperationFile(path: path)
            file.update(":1.7") { $0 = (0..<300).map { Self.entry($0) } }
            #expect(file.entries(of: ":1.7") == (44..<300).map { Self.entry($0) })
        }
    }

    @Test(arguments: [
        "", "\n\n", ":1.7\n", ":1.7 /a ReadValue\n", ":1.7 /a ReadValue perhaps\n", ":1.7 /a ReadValue unknown more\n",
        "\u{0}\u{0}", String(repeating: ":", count: 100_000), String(repeating: "\n", count: 100_000),
    ])
    func `Other contents are ignored and replaced`(_ text: String) throws {
        try withPath { path in
            let file = LostOperationFile(path: path)
            file.update(":1.7") { $0 = [Self.entry()] }
            try Data(text.utf8).write(to: URL(filePath: path))
            #expect(file.entries(of: ":1.7").isEmpty)
            file.update(":1.7") { $0.append(Self.entry(3)) }
            #expect(file.entries(of: ":1.7") == [Self.entry(3)])
        }
    }

    @Test(arguments: ["/proc/lost-operations", "/nonexistent/folder/lost-operations", "", "/"])
    func `Without access to the file, nothing is recorded`(_ path: String) {
        let file = LostOperationFile(path: path)
        file.update(":1.7") { $0 = [Self.entry()] }
        #expect(file.entries(of: ":1.7").isEmpty)
    }

    @Test func `A link is not followed, and a pipe is not waited for`() throws {
        try withPath { path in
            let file = LostOperationFile(path: path)
            file.update(":1.7") { $0 = [Self.entry()] }
            let other = path + ".other"
            try FileManager.default.moveItem(atPath: path, toPath: other)
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: other)
            file.update(":1.7") { $0 = [] }
            #expect(file.entries(of: ":1.7").isEmpty)
            #expect(LostOperationFile(path: other).entries(of: ":1.7") == [Self.entry()])
            let pipe = path + ".pipe"
            let maker = Process()
            maker.executableURL = URL(filePath: "/usr/bin/mkfifo")
            maker.arguments = [pipe]
            try maker.run()
            maker.waitUntilExit()
            #expect(maker.terminationStatus == 0)
            #expect(LostOperationFile(path: pipe).entries(of: ":1.7").isEmpty)
            LostOperationFile(path: pipe).update(":1.7") { $0 = [Self.entry()] }
        }
    }

    @Test func `Many processes record at the same time`() async {
        let folder = FileManager.default.temporaryDirectory.appending(path: "lost-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let file = LostOperationFile(path: folder + "/lost-operations")
        await withTaskGroup { group in
            for number in 0..<50 {
                group.addTask { file.update(":1.7") { $0.append(Self.entry(number)) } }
            }
        }
        #expect(Set(file.entries(of: ":1.7")) == Set((0..<50).map { Self.entry($0) }))
    }
}
