/// AES-CCM: counter mode with a CBC-MAC as the tag. Source: RFC 3610.
///
/// The length field has 15 bytes less the length of the nonce; the formats use nonces of 7 to 13 bytes.
struct CCM: Sendable {
    let cipher: AES128

    /// Decrypts and checks the tag; nil if the tag does not match, or the nonce or tag has an impossible length.
    func open(
        _ sealed: some Collection<UInt8>, tag: some Collection<UInt8>, nonce: [UInt8], authenticated: [UInt8] = []
    ) -> [UInt8]? {
        guard Self.allows(nonce: nonce.count, tag: tag.count, message: sealed.count) else { return nil }
        let plain = counterMode(Array(sealed), nonce: nonce)
        let expected = makeTag(plain, length: tag.count, nonce: nonce, authenticated: authenticated)
        // Compares without an early exit, so that the time does not depend on the position of the first difference.
        var difference: UInt8 = 0
        var position = 0
        for byte in tag {
            difference |= byte ^ expected[position]
            position += 1
        }
        return difference == 0 ? plain : nil
    }

    /// Encrypts, and returns the encrypted bytes and the tag; nil if the nonce or tag has an impossible length.
    func seal(
        _ plain: [UInt8], tagLength: Int, nonce: [UInt8], authenticated: [UInt8] = []
    ) -> (sealed: [UInt8], tag: [UInt8])? {
        guard Self.allows(nonce: nonce.count, tag: tagLength, message: plain.count) else { return nil }
        let tag = makeTag(plain, length: tagLength, nonce: nonce, authenticated: authenticated)
        return (counterMode(plain, nonce: nonce), (0..<tagLength).map { tag[$0] })
    }

    /// Encrypts or decrypts without a tag, as the legacy encryption of MiBeacon does.
    func counterMode(_ bytes: consuming [UInt8], nonce: [UInt8]) -> [UInt8] {
        let lengthBytes = 15 - nonce.count
        var counter = 0
        for start in stride(from: 0, to: bytes.count, by: 16) {
            counter += 1
            let key = cipher.encrypted(Self.block(flags: lengthBytes - 1, nonce: nonce, number: counter))
            for index in start..<min(start + 16, bytes.count) { bytes[index] ^= key[index - start] }
        }
        return bytes
    }

    private static func allows(nonce: Int, tag: Int, message: Int) -> Bool {
        (7...13).contains(nonce) && (4...16).contains(tag) && tag % 2 == 0 && message < 65536
    }

    private static func block(flags: Int, nonce: [UInt8], number: Int) -> AES128.Block {
        var block = AES128.Block()
        block[0] = UInt8(truncatingIfNeeded: flags)
        for index in nonce.indices { block[index + 1] = nonce[index] }
        var rest = number
        for index in stride(from: 15, to: nonce.count, by: -1) {
            block[index] = UInt8(truncatingIfNeeded: rest)
            rest >>= 8
        }
        return block
    }

    /// Returns the tag in the first bytes of a block.
    private func makeTag(_ plain: [UInt8], length: Int, nonce: [UInt8], authenticated: [UInt8]) -> AES128.Block {
        let lengthBytes = 15 - nonce.count
        let flags = (authenticated.isEmpty ? 0 : 64) + (length - 2) / 2 * 8 + lengthBytes - 1
        var mac = cipher.encrypted(Self.block(flags: flags, nonce: nonce, number: plain.count))
        if !authenticated.isEmpty {
            let count = authenticated.count
            mac[0] ^= UInt8(truncatingIfNeeded: count >> 8)
            mac[1] ^= UInt8(truncatingIfNeeded: count)
            add(authenticated, after: 2, to: &mac)
        }
        add(plain, after: 0, to: &mac)
        return mac ^ cipher.encrypted(Self.block(flags: lengthBytes - 1, nonce: nonce, number: 0))
    }

    /// Adds bytes to the CBC-MAC, of which the present block already has some.
    private func add(_ bytes: [UInt8], after used: Int, to mac: inout AES128.Block) {
        var position = used
        for byte in bytes {
            mac[position] ^= byte
            position += 1
            if position == 16 {
                mac = cipher.encrypted(mac)
                position = 0
            }
        }
        if position > 0 { mac = cipher.encrypted(mac) }
    }
}

/// AES in counter mode with a 16-byte little-endian counter, as Victron uses it.
struct CounterMode: Sendable {
    let cipher: AES128

    /// Encrypts or decrypts bytes. The counter starts at the given value.
    func apply(_ bytes: [UInt8], start: UInt16) -> [UInt8] {
        var output = bytes
        var number = UInt64(start)
        for first in stride(from: 0, to: bytes.count, by: 16) {
            var counter = AES128.Block()
            for index in 0..<8 { counter[index] = UInt8(truncatingIfNeeded: number >> UInt64(index * 8)) }
            let key = cipher.encrypted(counter)
            for index in first..<min(first + 16, bytes.count) { output[index] ^= key[index - first] }
            number &+= 1
        }
        return output
    }
}
