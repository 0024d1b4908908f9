import BluetoothCaptures
import Foundation
import Rx
import RxBluetooth
import TestTraits
import Testing

@testable import ble_cli

/// What a recording contains, and what it holds until its device is known.
struct CaptureRecorderTests {
    private func sighting(_ number: UInt64, rssi: Int = -50, isCached: Bool = false) -> ScannedPeripheral {
        ScannedPeripheral(
            peripheral: Peripheral(address: BluetoothAddress(0xC0FF_EE00_0000 + number)), rssi: rssi,
            isCached: isCached)
    }

    @Test(.proves(.S137)) func `A device that was only remembered is not recorded`() throws {
        let bytes = Guarded<[UInt8]>([])
        let recorder = try CaptureRecorder(.pcapng) { written in bytes.withLock { $0 += written } }
        let header = bytes.withLock { $0.count }
        try recorder.record(sighting(1, isCached: true))
        #expect(recorder.count == 0 && bytes.withLock { $0.count } == header)
        try recorder.record(sighting(1))
        #expect(recorder.count == 1 && bytes.withLock { $0.count } > header)
    }

    @Test func `Of too many held advertisements, the newer ones are kept in their order`() {
        let held = HeldSightings()
        let count = HeldSightings.limit + 3
        // The older and the newer half differ, because 97 does not divide the length of a half.
        for index in 0..<count { held.add(sighting(UInt64(index % 2), rssi: Int(index % 97))) }
        let address = sighting(0).peripheral.address
        let taken = held.take(address).compactMap(\.rssi)
        // The older half was dropped when the limit was reached; every second one is of the device.
        let expected = (HeldSightings.limit / 2..<count).filter { $0 % 2 == 0 }.map { $0 % 97 }
        #expect(taken == expected)
        #expect(held.take(address).isEmpty)
    }

    @Test(.proves(.S138), arguments: [CaptureWriter.Format.pcapng, .snoop])
    func `A recording that is cut at any byte has all packets before the last one`(
        format: CaptureWriter.Format
    ) throws {
        let written = Guarded<[[UInt8]]>([])
        let recorder = try CaptureRecorder(format) { bytes in written.withLock { $0.append(bytes) } }
        for number in 1...20 as ClosedRange<UInt64> { try recorder.record(sighting(number)) }
        let parts = written.withLock { $0 }
        #expect(parts.count == 21 && recorder.count == 20)
        let bytes = Array(parts.joined())
        let ends = parts.indices.map { parts[...$0].reduce(0) { $0 + $1.count } }
        for cut in ends[0]...bytes.count {
            var reader = CaptureReader()
            reader.append(Array(bytes[..<cut]))
            var count = 0
            while try reader.next() != nil { count += 1 }
            #expect(count == ends.count { $0 <= cut } - 1)
            // After each write, the file is valid as a whole.
            if ends.contains(cut) {
                try reader.finish()
            } else {
                #expect(throws: CaptureError.truncated(afterPacket: count)) { try reader.finish() }
            }
        }
    }

    @Test(.proves(.S138)) func `A packet is in the file when its write has returned`() async throws {
        try await withFolder { folder in
            let path = folder + "/scan.pcapng"
            let file = try RecordingFile(path)
            let recorder = try CaptureRecorder(.pcapng) { try file.append($0) }
            for number in 1...20 {
                try recorder.record(sighting(UInt64(number)))
                var reader = CaptureReader()
                reader.append(Array(try #require(FileManager.default.contents(atPath: path))))
                var count = 0
                while try reader.next() != nil { count += 1 }
                try reader.finish()
                #expect(count == number)
            }
        }
    }
}
