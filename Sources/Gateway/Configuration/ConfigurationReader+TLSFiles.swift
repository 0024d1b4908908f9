import FoundationEssentials
import YAMLDocuments

/// Checks the files of TLS. OpenSSL reports their mistakes only when the gateway connects, and without the line.
extension ConfigurationReader {
    /// Returns the path of a file with certificates.
    func certificateFile(_ value: YAMLValue) -> String? {
        guard let path = existingFile(value), let text = pem(path, value) else { return nil }
        let kinds = ["CERTIFICATE", "TRUSTED CERTIFICATE", "X509 CERTIFICATE"]
        guard kinds.contains(where: { text.contains("-----BEGIN \($0)-----") }) else {
            value.report("\(path) has no certificate in PEM", "name a file with -----BEGIN CERTIFICATE-----")
            return nil
        }
        return path
    }

    /// Returns the path of a file with a private key that needs no password.
    func keyFile(_ value: YAMLValue) -> String? {
        guard let path = privateFile(value), let text = pem(path, value) else { return nil }
        guard text.contains("PRIVATE KEY-----") else {
            value.report("\(path) has no private key in PEM", "name a file with -----BEGIN PRIVATE KEY-----")
            return nil
        }
        guard !Self.isEncrypted(text) else {
            value.report(
                "the key in \(path) is encrypted, and the gateway asks for no password",
                "remove the encryption with openssl pkey -in \(path) -out FILE")
            return nil
        }
        return path
    }

    /// Whether the first key of a file is encrypted. Source: RFC 7468, section 11; RFC 1421 for the older header.
    private static func isEncrypted(_ text: String) -> Bool {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
        let key = lines.drop { !($0.hasPrefix("-----BEGIN ") && $0.contains("PRIVATE KEY-----")) }
            .prefix { !$0.hasPrefix("-----END ") }
        return key.first?.contains("ENCRYPTED") == true
            || key.contains { $0.hasPrefix("Proc-Type:") && $0.contains("ENCRYPTED") }
    }

    /// Returns the content of a file. It may contain bytes that are not UTF-8, for example in names.
    private func pem(_ path: String, _ value: YAMLValue) -> String? {
        guard let data = FileManager.default.contents(atPath: path) else {
            value.report("the file \(path) cannot be read", "check its permissions")
            return nil
        }
        return String(decoding: data, as: UTF8.self)
    }
}
