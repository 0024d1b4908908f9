/// Resolves private addresses to the identity of their device.
///
/// The first sight of an address costs one encryption a key; then its result is stored, so that known addresses take
/// the same time with any number of keys. Source: Core Specification 5.4, Vol 3, Part H, 2.2.2.
public struct IdentityResolver: Sendable {
    private var keys: [(identity: SenderAddress, cipher: AES128)] = []
    private var results: [SenderAddress: SenderAddress?] = [:]

    /// The largest number of stored results. At this number, all results are dropped.
    public var capacity = 65_536

    /// The number of stored results.
    var storedResults: Int { results.count }

    /// The revision of the store's identity keys.
    let revision: Int

    /// Makes a resolver with the identity keys of a store.
    public init(_ store: KeyStore) {
        revision = store.identityRevision
        for entry in store.identities {
            if let cipher = entry.key.cipher { keys.append((entry.identity, cipher)) }
        }
    }

    /// Returns the identity of a resolvable private address; nil for another address, or if no key matches.
    public mutating func identity(of address: SenderAddress) -> SenderAddress? {
        guard !keys.isEmpty, Self.isResolvable(address) else { return nil }
        if let known = results[address] { return known }
        let found = search(address)
        if results.count >= capacity { results.removeAll(keepingCapacity: true) }
        results[address] = .some(found)
        return found
    }

    /// Whether an address has the form of a resolvable private address: its two highest bits are 01.
    public static func isResolvable(_ address: SenderAddress) -> Bool { address.number >> 46 == 1 }

    /// The block of the function `ah`: zeros and the three bytes of the random part.
    private static func block(_ part: [UInt8]) -> AES128.Block {
        var block = AES128.Block()
        for index in 0..<3 { block[13 + index] = part[index] }
        return block
    }

    private func search(_ address: SenderAddress) -> SenderAddress? {
        let bytes = address.bytes
        let block = Self.block(bytes)
        for entry in keys {
            let hash = entry.cipher.encrypted(block)
            if hash[13] == bytes[3], hash[14] == bytes[4], hash[15] == bytes[5] { return entry.identity }
        }
        return nil
    }

    /// Makes a resolvable private address from its random part of 22 bits.
    ///
    /// The result is nil if the key does not have 16 bytes.
    public static func makeAddress(random: UInt32, key: DeviceKey) -> SenderAddress? {
        guard let cipher = key.cipher else { return nil }
        let number = random & 0x3F_FFFF | 0x40_0000
        let part = [16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
        let hash = cipher.encrypted(block(part))
        return SenderAddress(bytes: part + [hash[13], hash[14], hash[15]])
    }
}
