import CCrypto

/// AES-128 with one key, in the encrypting direction: all that CCM, CTR and address resolution need.
///
/// OpenSSL's libcrypto encrypts the block. swift-crypto has no CCM, and the block is its only part that would be used.
/// Copies share the prepared key, because preparing it takes longer than decrypting an advertisement.
struct AES128: Sendable {
    /// The bytes of a block. A vector needs no memory of its own.
    typealias Block = SIMD16<UInt8>

    private let schedule: KeySchedule

    /// Prepares a key of 16 bytes; nil for another length.
    init?(key: [UInt8]) {
        guard let schedule = KeySchedule(key) else { return nil }
        self.schedule = schedule
    }

    /// Returns the encryption of one block.
    func encrypted(_ block: Block) -> Block { schedule.encrypted(block) }
}

/// The round keys of AES.
// Sendable: the memory is written by the initialiser only.
@safe private final class KeySchedule: @unchecked Sendable {
    private let rounds: UnsafeMutablePointer<AES_KEY>

    init?(_ key: [UInt8]) {
        guard key.count == 16 else { return nil }
        unsafe rounds = .allocate(capacity: 1)
        unsafe rounds.initialize(to: AES_KEY())
        // The array has the 16 bytes that the call reads; the memory is a complete AES_KEY.
        guard unsafe AES_set_encrypt_key(key, 128, rounds) == 0 else { return nil }
    }

    deinit {
        unsafe rounds.deinitialize(count: 1)
        unsafe rounds.deallocate()
    }

    func encrypted(_ block: AES128.Block) -> AES128.Block {
        var block = block
        // A Block has the 16 bytes that the call reads and writes, and libcrypto allows both to be the same.
        unsafe withUnsafeMutableBytes(of: &block) { bytes in
            guard let start = bytes.baseAddress else { return }
            let pointer = unsafe start.assumingMemoryBound(to: UInt8.self)
            unsafe AES_encrypt(pointer, pointer, rounds)
        }
        return block
    }
}
