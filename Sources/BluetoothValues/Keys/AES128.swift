import CCrypto

/// AES-128 with one key, in the encrypting direction: all that CCM, CTR and address resolution need.
///
/// OpenSSL's libcrypto encrypts the block. swift-crypto has no CCM, and the block is its only part that would be used.
struct AES128: Sendable {
    private var schedule = AES_KEY()

    /// Prepares a key of 16 bytes; nil for another length.
    init?(key: [UInt8]) {
        guard key.count == 16 else { return nil }
        // The array has the 16 bytes that the call reads; the schedule is a complete AES_KEY.
        guard unsafe AES_set_encrypt_key(key, 128, &schedule) == 0 else { return nil }
    }

    /// Encrypts one block of 16 bytes in place. Shorter or longer input stays unchanged.
    func encrypt(_ block: inout [UInt8]) {
        guard block.count == 16 else { return }
        var output = [UInt8](repeating: 0, count: 16)
        // Input and output have the 16 bytes that the call reads and writes; nothing keeps the pointers.
        unsafe withUnsafePointer(to: schedule) { unsafe AES_encrypt(block, &output, $0) }
        block = output
    }

    /// Returns the encryption of one block of 16 bytes.
    func encrypted(_ block: [UInt8]) -> [UInt8] {
        var copy = block
        encrypt(&copy)
        return copy
    }
}
