import CTLS
import Glibc

/// The certificates and rules of TLS for one connection.
@safe final class TLSContext {
    let functions: UnsafePointer<tls_functions>
    let handle: OpaquePointer

    /// Reads the files. A failure names the file.
    init(_ tls: BrokerSettings.TLS) throws(BrokerFailure) {
        guard let functions = unsafe tls_functions_load() else {
            throw BrokerFailure(
                .certificate, "TLS needs OpenSSL 3, which is not installed; install the package libssl3")
        }
        guard let handle = unsafe functions.pointee.SSL_CTX_new(functions.pointee.TLS_client_method()) else {
            throw BrokerFailure(.certificate, "TLS cannot start; check the configuration of OpenSSL")
        }
        unsafe self.functions = functions
        unsafe self.handle = handle
        try configure(tls)
    }

    deinit { unsafe functions.pointee.SSL_CTX_free(handle) }

    /// Returns OpenSSL's reasons for the last failure of this thread, and removes them.
    func takeReasons() -> [String] {
        var reasons: [String] = []
        for _ in 0..<20 {
            let code = unsafe functions.pointee.ERR_get_error()
            guard code != 0 else { break }
            if let text = unsafe functions.pointee.ERR_reason_error_string(code) {
                reasons.append(unsafe String(cString: text))
            }
        }
        unsafe functions.pointee.ERR_clear_error()
        return reasons
    }

    private func configure(_ tls: BrokerSettings.TLS) throws(BrokerFailure) {
        for path in [tls.authorities, tls.certificate, tls.key] { if let path { try Self.checkReadable(path) } }
        unsafe functions.pointee.ERR_clear_error()
        _ = unsafe functions.pointee.SSL_CTX_ctrl(handle, SSL_CTRL_SET_MIN_PROTO_VERSION, Int(TLS1_2_VERSION), nil)
        // SSL_OP_NO_RENEGOTIATION
        _ = unsafe functions.pointee.SSL_CTX_set_options(handle, 1 << 30)
        unsafe functions.pointee.SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nil)
        // Without a callback, OpenSSL asks for the password of an encrypted key on the terminal, and waits.
        unsafe functions.pointee.SSL_CTX_set_default_passwd_cb(handle) { _, _, _, _ in 0 }
        let folder = tls.authorities == nil ? "/etc/ssl/certs" : nil
        guard unsafe functions.pointee.SSL_CTX_load_verify_locations(handle, tls.authorities, folder) == 1 else {
            throw unusable("authorities", tls.authorities ?? "/etc/ssl/certs", "name a file with certificates in PEM")
        }
        guard let certificate = tls.certificate, let key = tls.key else { return }
        guard unsafe functions.pointee.SSL_CTX_use_certificate_chain_file(handle, certificate) == 1 else {
            throw unusable("certificate", certificate, "name a certificate in PEM")
        }
        guard unsafe functions.pointee.SSL_CTX_use_PrivateKey_file(handle, key, SSL_FILETYPE_PEM) == 1 else {
            throw unusable("key", key, "name the key of the certificate in PEM, without a password")
        }
    }

    private static func checkReadable(_ path: String) throws(BrokerFailure) {
        guard unsafe access(path, R_OK) != 0 else { return }
        let cause = unsafe String(cString: strerror(errno))
        throw BrokerFailure(.certificate, "reading \(path) failed: \(cause); correct the path or the permissions")
    }

    private func unusable(_ kind: String, _ path: String, _ advice: String) -> BrokerFailure {
        let reason = takeReasons().first ?? "OpenSSL gives no reason"
        return BrokerFailure(.certificate, "loading the \(kind) of TLS from \(path) failed: \(reason); \(advice)")
    }
}
