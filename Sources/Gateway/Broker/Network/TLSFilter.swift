import CTLS
import Glibc

/// Encrypts and decrypts the bytes of one connection. It does not know the socket.
@safe final class TLSFilter {
    /// Why the handshake or the encryption failed.
    struct Problem: Error, Equatable {
        /// OpenSSL's reasons.
        var reasons: [String]
        /// Why the certificate of the broker was not accepted; nil if it was.
        var certificateProblem: String?
    }

    private let context: TLSContext
    private let session: OpaquePointer
    // Memory buffers of OpenSSL, which belong to the session.
    private let incoming: OpaquePointer
    private let outgoing: OpaquePointer
    private var isEstablished = false
    /// What is sent after the handshake.
    private var waiting: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 16 << 10)

    private var functions: tls_functions { unsafe context.functions.pointee }

    /// - Parameter host: The name or the address that the certificate of the broker must contain.
    init(_ context: TLSContext, host: String) throws(Problem) {
        let functions = unsafe context.functions.pointee
        self.context = context
        let session = unsafe functions.SSL_new(context.handle)
        let incoming = unsafe functions.BIO_new(functions.BIO_s_mem())
        let outgoing = unsafe functions.BIO_new(functions.BIO_s_mem())
        guard let session = unsafe session, let incoming = unsafe incoming, let outgoing = unsafe outgoing else {
            // Memory is missing. What was made is lost, because a caller cannot continue anyway.
            throw Problem(reasons: context.takeReasons())
        }
        unsafe self.session = session
        unsafe self.incoming = incoming
        unsafe self.outgoing = outgoing
        unsafe functions.SSL_set_bio(session, incoming, outgoing)
        unsafe functions.SSL_set_connect_state(session)
        // The zone of an address is not part of a certificate.
        let name = String(host.prefix { $0 != "%" })
        guard unsafe functions.SSL_set1_host(session, name) == 1 else { throw Problem(reasons: context.takeReasons()) }
        if !Self.isAddress(name) { setServerName(name) }
    }

    deinit { unsafe functions.SSL_free(session) }

    private func setServerName(_ name: String) {
        var bytes = Array(name.utf8CString)
        unsafe bytes.withUnsafeMutableBytes { bytes in
            _ = unsafe functions.SSL_ctrl(
                session, SSL_CTRL_SET_TLSEXT_HOSTNAME, Int(TLSEXT_NAMETYPE_host_name), bytes.baseAddress)
        }
    }

    private static func isAddress(_ name: String) -> Bool {
        var bytes = in6_addr()
        return unsafe inet_pton(AF_INET, name, &bytes) == 1 || inet_pton(AF_INET6, name, &bytes) == 1
    }

    /// Begins the handshake.
    func start() throws(Problem) { try shakeHands() }

    /// Encrypts bytes, or keeps them until the end of the handshake.
    func send(_ bytes: [UInt8]) throws(Problem) {
        guard isEstablished else {
            waiting += bytes
            return
        }
        guard !bytes.isEmpty else { return }
        functions.ERR_clear_error()
        let result = unsafe functions.SSL_write(session, bytes, Int32(clamping: bytes.count))
        guard result == bytes.count else { throw problem() }
    }

    /// Decrypts bytes of the broker. What arrived before a problem is valid.
    func receive(_ bytes: ArraySlice<UInt8>) -> (plain: [UInt8], problem: Problem?) {
        let count = unsafe bytes.withUnsafeBytes { bytes in
            unsafe functions.BIO_write(incoming, bytes.baseAddress, Int32(bytes.count))
        }
        guard count == bytes.count else { return ([], problem()) }
        var plain: [UInt8] = []
        do throws(Problem) {
            if !isEstablished { try shakeHands() }
            while isEstablished {
                functions.ERR_clear_error()
                let count = unsafe functions.SSL_read(session, &buffer, Int32(buffer.count))
                guard count > 0 else {
                    try check(count)
                    break
                }
                plain += buffer[..<Int(count)]
            }
        } catch { return (plain, error) }
        return (plain, nil)
    }

    /// Announces the end to the broker.
    func end() { if isEstablished { _ = unsafe functions.SSL_shutdown(session) } }

    /// Returns what is ready for the socket.
    func takeOutput() -> [UInt8] {
        let count = unsafe functions.BIO_ctrl_pending(outgoing)
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: count)
        let read = unsafe functions.BIO_read(outgoing, &bytes, Int32(clamping: count))
        return Array(bytes.prefix(Int(max(0, read))))
    }

    private func shakeHands() throws(Problem) {
        functions.ERR_clear_error()
        let result = unsafe functions.SSL_do_handshake(session)
        guard result == 1 else { return try check(result) }
        isEstablished = true
        let bytes = waiting
        waiting = []
        try send(bytes)
    }

    /// Throws unless more bytes are needed, or the broker has announced the end.
    private func check(_ result: Int32) throws(Problem) {
        let code = unsafe functions.SSL_get_error(session, result)
        guard code == SSL_ERROR_WANT_READ || code == SSL_ERROR_ZERO_RETURN else { throw problem() }
    }

    private func problem() -> Problem {
        let code = unsafe functions.SSL_get_verify_result(session)
        let text = code == 0 ? nil : functions.X509_verify_cert_error_string(code)
        return Problem(
            reasons: context.takeReasons(), certificateProblem: unsafe text.map { unsafe String(cString: $0) })
    }
}
