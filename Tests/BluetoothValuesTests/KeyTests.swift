import Foundation
import Testing

@testable import BluetoothValues

struct KeyTests {
    private let digits = "231d39c1d7cc1ab1aee224cd096db932"

    @Test func `A key is read from 24 or 32 hexadecimal digits only`() {
        #expect(DeviceKey(digits)?.bytes.count == 16)
        #expect(DeviceKey("b853075158487ca39a5b5ea9")?.bytes.count == 12)
        for text in ["", "23", "231d39c1d7cc1ab1aee224cd096db93", "231d39c1d7cc1ab1aee224cd096db93g", digits + "00"] {
            #expect(DeviceKey(text) == nil)
        }
    }

    @Test func `Descriptions, reflection and errors do not contain keys`() throws {
        let key = try #require(DeviceKey(digits))
        var store = KeyStore()
        store["54:48:E6:8F:80:A5"] = key
        store.addIdentity("54:48:E6:8F:80:A6", key: key)
        let sender = Sender(address: "54:48:E6:8F:80:A5", key: key)
        var texts = ["\(key)", String(reflecting: key), "\(store)", String(reflecting: store)]
        texts += ["\(sender)", String(reflecting: sender)]
        for value in [key, store, sender, SensorDecoder(keys: store)] as [Any] {
            var text = ""
            dump(value, to: &text)
            texts.append(text)
        }
        var decoder = SensorDecoder(keys: store)
        texts.append("\(decoder.decode(.service(0xFCD2, [0x41, 1, 2, 3, 4, 5, 6, 7, 8, 9]), from: sender.address))")
        for text in texts {
            #expect(!text.lowercased().contains("231d"), "\(text)")
            // The first bytes of the key as decimal numbers.
            #expect(!text.contains("35, 29"), "\(text)")
            #expect(!text.contains("- 35\n"), "\(text)")
        }
    }

    @Test func `A text of keys has one device a line, with comments and identity keys`() throws {
        let store = try KeyStore(
            text: """
                # Kitchen
                54:48:E6:8F:80:A5=\(digits)

                  5448e68f80a6 = b853075158487ca39a5b5ea9\r
                irk 54:48:E6:8F:80:A7=\(digits)
                """)
        #expect(store.count == 2)
        #expect(store["54:48:E6:8F:80:A5"] == DeviceKey(digits))
        #expect(store["54:48:E6:8F:80:A6"]?.bytes.count == 12)
        #expect(store.identities.map(\.identity) == ["54:48:E6:8F:80:A7"])
    }

    @Test(arguments: ["x", "=", "54:48:E6:8F:80:A5", "54:48:E6:8F:80=00", "54:48:E6:8F:80:A5=00", "irk =00"])
    func `A malformed line is reported by its number only`(line: String) {
        #expect(throws: KeyFileError.malformedLine(2)) { try KeyStore(text: "# keys\n" + line) }
    }

    @Test func `An identity key of 12 bytes is a malformed line`() {
        #expect(throws: KeyFileError.malformedLine(1)) {
            try KeyStore(text: "irk 54:48:E6:8F:80:A5=b853075158487ca39a5b5ea9")
        }
    }

    @Test func `A key file is read only if no other user may access it`() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "keys-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(throws: KeyFileError.unreadable(path: path, errno: ENOENT)) { try KeyStore(file: path) }
        try Data("54:48:E6:8F:80:A5=\(digits)\n".utf8).write(to: URL(filePath: path))
        for mode in [0o644, 0o640, 0o604, 0o620, 0o601] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(throws: KeyFileError.notPrivate(path: path, mode: UInt32(mode))) { try KeyStore(file: path) }
        }
        for mode in [0o600, 0o400] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
            #expect(try KeyStore(file: path).count == 1)
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        try Data([0xFF, 0xFE]).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        #expect(throws: KeyFileError.unsuitable(path: path)) { try KeyStore(file: path) }
    }

    // The sample data of the Core Specification, Vol 3, Part H, Appendix D.7.
    @Test func `An address resolves as in the sample data of the Core Specification`() throws {
        let key = try #require(DeviceKey("ec0234a357c8ad05341010a60a397d9b"))
        let address = try #require(IdentityResolver.makeAddress(random: 0x708194, key: key))
        #expect(address.description == "70:81:94:0D:FB:AA")
        var store = KeyStore()
        store.addIdentity("C0:FF:EE:00:00:01", key: key)
        var resolver = IdentityResolver(store)
        #expect(resolver.identity(of: address) == "C0:FF:EE:00:00:01")
        #expect(resolver.identity(of: "70:81:94:0D:FB:AB") == nil)
        #expect(resolver.identity(of: "30:81:94:0D:FB:AA") == nil)
    }

    @Test func `Ten thousand identity keys resolve addresses, also when the results are full`() throws {
        var random = SplitMix(seed: 9)
        var store = KeyStore()
        let keys = (0..<10_000).compactMap { _ in DeviceKey(random.bytes(16)) }
        for (index, key) in keys.enumerated() { store.addIdentity(SenderAddress(UInt64(index)), key: key) }
        var resolver = IdentityResolver(store)
        resolver.capacity = 4
        for index in [0, 1, 4999, 9999, 0, 9999] {
            let part = UInt32(truncatingIfNeeded: random.next())
            let address = try #require(IdentityResolver.makeAddress(random: part, key: keys[index]))
            #expect(resolver.identity(of: address)?.number == UInt64(index))
            #expect(resolver.identity(of: address)?.number == UInt64(index))
        }
    }

    @Test func `Rotating addresses do not fill the memory`() throws {
        var store = KeyStore()
        store.addIdentity("C0:FF:EE:00:00:14", key: try #require(DeviceKey([UInt8](repeating: 3, count: 16))))
        var resolver = IdentityResolver(store)
        resolver.capacity = 100
        for number in 0..<1000 as Range<UInt64> {
            _ = resolver.identity(of: SenderAddress(1 << 46 | number))
            #expect(resolver.storedResults <= 100)
        }
        #expect(resolver.storedResults > 0)
    }

    @Test func `Resolved addresses do not fill the memory`() throws {
        let key = try #require(DeviceKey("ec0234a357c8ad05341010a60a397d9b"))
        var store = KeyStore()
        store.addIdentity("C0:FF:EE:00:00:01", key: key)
        var resolver = IdentityResolver(store)
        resolver.capacity = 100
        for number in 0..<1000 as Range<UInt32> {
            let address = try #require(IdentityResolver.makeAddress(random: number, key: key))
            #expect(resolver.identity(of: address) == "C0:FF:EE:00:00:01")
            #expect(resolver.storedResults <= 100)
        }
    }

    @Test func `A changed store of keys resolves with its own identity keys`() throws {
        let keys = try ["11", "22"].map { try #require(DeviceKey(String(repeating: $0, count: 16))) }
        let stores = keys.map { key in
            var store = KeyStore()
            store.addIdentity("C0:FF:EE:00:00:01", key: key)
            return store
        }
        var decoder = SensorDecoder(keys: stores[0])
        let address = try #require(IdentityResolver.makeAddress(random: 5, key: keys[1]))
        #expect(decoder.identity(of: address) == address)
        decoder.keys = stores[1]
        #expect(decoder.identity(of: address) == "C0:FF:EE:00:00:01")
    }

    @Test func `A device with rotating addresses has one key and one counter`() throws {
        let identityKey = try #require(DeviceKey("ec0234a357c8ad05341010a60a397d9b"))
        let key = try #require(DeviceKey(digits))
        var decoder = SensorDecoder()
        decoder.keys.addIdentity("C0:FF:EE:00:00:01", key: identityKey)
        decoder.keys["C0:FF:EE:00:00:01"] = key
        for (counter, isAccepted) in [(UInt32(5), true), (6, true), (3, false)] {
            let address = try #require(IdentityResolver.makeAddress(random: counter &* 7919, key: identityKey))
            let packet = try BTHome([.battery(9)], counter: counter).section(from: Sender(address: address, key: key))
            let result = decoder.decode(packet, from: address)
            if case .reading = result { #expect(isAccepted) } else { #expect(!isAccepted, "\(result)") }
        }
    }

    @Test func `Senders without key neither fill the memory nor remove the counters of others`() throws {
        var decoder = SensorDecoder()
        decoder.historyLimit = 10
        let address: SenderAddress = "54:48:E6:8F:80:A5"
        decoder.keys[address] = DeviceKey(digits)
        let sender = Sender(address: address, key: DeviceKey(digits))
        _ = decoder.decode(try BTHome([.battery(9)], counter: 50).section(from: sender), from: address)
        for number in 0..<1000 {
            _ = decoder.decode(try BTHome([.packet(1)]).section(), from: SenderAddress(UInt64(number)))
        }
        let old = decoder.decode(try BTHome([.battery(9)], counter: 49).section(from: sender), from: address)
        guard case .failure(let error) = old else {
            Issue.record("\(old)")
            return
        }
        #expect(error.reason == .replayed(counter: 49, last: 50))
    }

    @Test func `Written keys are private, read back, and replace no file`() throws {
        let path = "/tmp/rxbluetooth-keys-\(UInt64.random(in: 0...(.max)))"
        defer { try? FileManager.default.removeItem(atPath: path) }
        var keys = KeyStore()
        keys["C0:FF:EE:00:00:01"] = DeviceKey([UInt8](repeating: 1, count: 16))
        keys["C0:FF:EE:00:00:02"] = DeviceKey([UInt8](repeating: 2, count: 12))
        keys.addIdentity("C0:FF:EE:00:00:03", key: try #require(DeviceKey([UInt8](repeating: 3, count: 16))))
        try keys.write(newFile: path)
        let read = try KeyStore(file: path)
        #expect(read["C0:FF:EE:00:00:01"] == keys["C0:FF:EE:00:00:01"])
        #expect(read["C0:FF:EE:00:00:02"] == keys["C0:FF:EE:00:00:02"])
        #expect(read.identities.map(\.identity) == ["C0:FF:EE:00:00:03"])
        #expect(throws: KeyFileError.unwritable(path: path, errno: EEXIST)) { try keys.write(newFile: path) }
        #expect(throws: KeyFileError.unwritable(path: "/nonexistent/keys", errno: ENOENT)) {
            try keys.write(newFile: "/nonexistent/keys")
        }
    }
}
