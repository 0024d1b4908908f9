import CCrypto

/// AES-128 with one key, in the encrypting direction: all that CCM, CTR and address resolution need.
///
/// OpenSSL's libcrypto encrypts the block. swift-crypto has no CCM, and the block is its only part that would be used.
struct AES128: Sendable {
    /// The bytes of a block. A vector needs no memory of its own.
    typealias Block = SIMD16<UInt8>

    private var schedule = AES_KEY()

    /// Prepares a key of 16 bytes; nil for another length.
    init?(key: [UInt8]) {
        guard key.count == 16 else { return nil }
        // The array has the 16 bytes that the call reads; the schedule is a complete AES_KEY.
        guard unsafe AES_set_encrypt_key(key, 128, &schedule) == 0 else { return nil }
    }

    /// Returns the encryption of one block.
    func encrypted(_ block: Block) -> Block {
        var block = block
        // A Block has the 16 bytes that the call reads and writes, and libcrypto allows both to be the same.
        unsafe withUnsafePointer(to: schedule) { schedule in
            unsafe withUnsafeMutableBytes(of: &block) { bytes in
                guard let start = bytes.baseAddress else { return }
                let pointer = unsafe start.assumingMemoryBound(to: UInt8.self)
                unsafe AES_encrypt(pointer, pointer, schedule)
            }
        }
        return block
    }
}
