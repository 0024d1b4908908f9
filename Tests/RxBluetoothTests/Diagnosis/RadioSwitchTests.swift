import Foundation
import TestTraits
import Testing

@testable import RxBluetooth

/// Reading `/sys/class/rfkill`, and folders of the same form with malformed content.
struct RadioSwitchTests {
    /// Creates a folder with these files, and returns the switches that are read from it.
    private func read(_ entries: [String: [String: Data]], _ further: (URL) throws -> Void = { _ in }) throws
        -> [RadioSwitch]
    {
        let folder = FileManager.default.temporaryDirectory.appending(path: "rfkill-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        for (entry, files) in entries {
            let place = folder.appending(path: entry)
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            for (name, content) in files { try content.write(to: place.appending(path: name)) }
        }
        try further(folder)
        return RadioSwitch.all(in: folder.path)
    }

    private func entry(_ type: String = "bluetooth", name: String = "hci0", soft: String = "0", hard: String = "0")
        -> [String: Data]
    {
        [
            "type": Data((type + "\n").utf8), "name": Data((name + "\n").utf8), "soft": Data((soft + "\n").utf8),
            "hard": Data((hard + "\n").utf8),
        ]
    }

    @Test(.proves(.Q30)) func `Only Bluetooth switches are read`() throws {
        let switches = try read([
            "rfkill0": entry("wlan", name: "phy0", soft: "1"), "rfkill1": entry(soft: "1"),
            "rfkill2": entry(name: "asus-bluetooth", hard: "1"), "other": entry(soft: "1"),
        ])
        #expect(
            switches == [
                RadioSwitch(name: "hci0", isSoftBlocked: true, isHardBlocked: false),
                RadioSwitch(name: "asus-bluetooth", isSoftBlocked: false, isHardBlocked: true),
            ])
    }

    @Test func `Missing, oversized or malformed files are read safely`() throws {
        let long = String(repeating: "x", count: 100_000)
        let switches = try read([
            "rfkill0": ["type": Data("bluetooth".utf8)],
            "rfkill1": entry(name: long, soft: "11", hard: "-1"),
            "rfkill2": entry(long), "rfkill3": [:],
            "rfkill4": entry(name: "a\u{1B}[2Jb", soft: "", hard: " 1").merging(["soft": Data([0xFF, 0])]) { $1 },
        ])
        #expect(
            switches == [
                RadioSwitch(name: "", isSoftBlocked: false, isHardBlocked: false),
                RadioSwitch(name: "", isSoftBlocked: false, isHardBlocked: false),
                RadioSwitch(name: "a?[2Jb", isSoftBlocked: false, isHardBlocked: false),
            ])
        #expect(RadioSwitch.all(in: "/nowhere").isEmpty)
    }

    @Test func `Pipes, folders and endless files do not block the reader`() throws {
        let switches = try read(["rfkill1": entry()]) { folder in
            let place = folder.appending(path: "rfkill0")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            // Makes unusual files: endless files and a folder as the targets of links, and a pipe without a writer.
            for (name, target) in [("name", "/dev/zero"), ("soft", "/"), ("hard", "/dev/full")] {
                try FileManager.default.createSymbolicLink(
                    atPath: place.appending(path: name).path, withDestinationPath: target)
            }
            let pipe = try Process.run(
                URL(fileURLWithPath: "/usr/bin/mkfifo"), arguments: [place.appending(path: "type").path])
            pipe.waitUntilExit()
            #expect(pipe.terminationStatus == 0)
        }
        #expect(switches.map(\.name) == ["hci0"])
    }
}
