import Testing

@testable import BluetoothValues

struct CCMTests {
    private let key = HexText.bytes("C0C1C2C3C4C5C6C7C8C9CACBCCCDCECF") ?? []

    @Test func `AES-128 encrypts the example of FIPS 197`() throws {
        let cipher = try #require(AES128(key: HexText.bytes("000102030405060708090A0B0C0D0E0F") ?? []))
        let block = AES128.Block((0..<16).map { UInt8($0 * 0x11) })
        let encrypted = cipher.encrypted(block)
        #expect(HexText.text((0..<16).map { encrypted[$0] }) == "69C4E0D86A7B0430D8CDB78070B4C55A")
    }

    @Test func `A key of another length than 16 bytes makes no cipher`() {
        #expect(AES128(key: []) == nil)
        #expect(AES128(key: [UInt8](repeating: 0, count: 15)) == nil)
        #expect(AES128(key: [UInt8](repeating: 0, count: 17)) == nil)
    }

    // Packet vectors 1, 2, 3 and 7 of RFC 3610.
    @Test(arguments: [
        (
            "00000003020100A0A1A2A3A4A5", 8, "08090A0B0C0D0E0F101112131415161718191A1B1C1D1E",
            "588C979A61C663D2F066D0C2C0F989806D5F6B61DAC384", "17E8D12CFDF926E0"
        ),
        (
            "00000004030201A0A1A2A3A4A5", 8, "08090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F",
            "72C91A36E135F8CF291CA894085C87E3CC15C439C9E43A3B", "A091D56E10400916"
        ),
        (
            "00000005040302A0A1A2A3A4A5", 8, "08090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F20",
            "51B1E5F44A197D1DA46B0F8E2D282AE871E838BB64DA859657", "4ADAA76FBD9FB0C5"
        ),
        (
            "00000009080706A0A1A2A3A4A5", 10, "08090A0B0C0D0E0F101112131415161718191A1B1C1D1E",
            "0135D1B2C95F41D5D1D4FEC185D166B8094E999DFED96C", "048C56602C97ACBB7490"
        ),
    ]) func `CCM seals and opens the packets of RFC 3610`(
        nonce: String, tagLength: Int, plain: String, sealed: String, tag: String
    ) throws {
        let ccm = CCM(cipher: try #require(AES128(key: key)))
        let nonceBytes = HexText.bytes(nonce) ?? []
        let header = HexText.bytes("0001020304050607") ?? []
        let message = HexText.bytes(plain) ?? []
        let result = try #require(
            ccm.seal(message, tagLength: tagLength, nonce: nonceBytes, authenticated: header))
        #expect(HexText.text(result.sealed) == sealed)
        #expect(HexText.text(result.tag) == tag)
        #expect(ccm.open(result.sealed, tag: result.tag, nonce: nonceBytes, authenticated: header) == message)
        var changed = result.tag
        changed[0] ^= 1
        #expect(ccm.open(result.sealed, tag: changed, nonce: nonceBytes, authenticated: header) == nil)
        #expect(ccm.open(result.sealed, tag: result.tag, nonce: nonceBytes, authenticated: []) == nil)
    }

    @Test func `Impossible lengths of nonce and tag give no result`() throws {
        let ccm = CCM(cipher: try #require(AES128(key: key)))
        #expect(ccm.seal([1], tagLength: 4, nonce: [1, 2, 3]) == nil)
        #expect(ccm.seal([1], tagLength: 5, nonce: [UInt8](repeating: 0, count: 13)) == nil)
        #expect(ccm.open([1], tag: [], nonce: [UInt8](repeating: 0, count: 13)) == nil)
        #expect(ccm.open([1], tag: [1, 2, 3, 4], nonce: [UInt8](repeating: 0, count: 14)) == nil)
    }
}
