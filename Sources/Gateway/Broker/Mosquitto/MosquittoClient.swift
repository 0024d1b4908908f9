import CMosquitto
import Glibc

/// One connection of libmosquitto. It is used once; the next attempt gets a new one.
///
/// Calls of libmosquitto call back; what they report is collected, and taken with `takeReports`.
@safe final class MosquittoClient: @unchecked Sendable {
    // Guard for `@unchecked`: one queue at a time uses it, first that of `connect`, then that of the gateway.
    enum Report {
        case connected(code: Int32, isSessionPresent: Bool)
        case closed(code: Int32)
        case acknowledged(message: Int32, reason: Int32)
        case subscriptionRefused(filter: String, reason: Int32)
        case received(ReceivedMessage)
    }

    private static let isLibraryReady = mosquitto_lib_init() == 0
    /// A broker may cause any number of errors.
    private static let maximumErrors = 20

    let settings: BrokerSettings
    /// What libmosquitto logs about errors.
    private(set) var errors: [String] = []
    /// OpenSSL's reason why the certificate of the broker was not accepted.
    private(set) var certificateProblem: String?
    private let handle: OpaquePointer
    private var reports: [Report] = []
    /// The filters of subscriptions without an answer, by the numbers of their packets.
    private var subscriptions: [Int32: String] = [:]

    init(_ client: BrokerClient) throws(BrokerFailure) {
        settings = client.settings
        let isClean = settings.sessionExpiry == .zero
        guard Self.isLibraryReady, let handle = unsafe mosquitto_new(client.identifier, isClean, nil) else {
            throw BrokerFailure(.refused, "the client identifier \(client.identifier) is not valid; choose another one")
        }
        unsafe self.handle = handle
        unsafe mosquitto_user_data_set(handle, Unmanaged.passUnretained(self).toOpaque())
        try configure(client)
        setCallbacks()
    }

    deinit { unsafe mosquitto_destroy(handle) }

    var socket: Int32 { unsafe mosquitto_socket(handle) }
    var wantsToWrite: Bool { unsafe mosquitto_want_write(handle) }

    var hasReports: Bool { !reports.isEmpty }

    func takeReports() -> [Report] {
        defer { reports = [] }
        return reports
    }

    /// Resolves the name, connects and sends the first packet. It blocks until the connection exists or failed.
    ///
    /// libmosquitto has no call that does not block and sends properties. The handshake of TLS happens in `read`.
    /// - Returns: The result, and the system's error code.
    func connect() -> (result: Int32, code: Int32) {
        var properties: OpaquePointer?
        defer { unsafe mosquitto_property_free_all(&properties) }
        if settings.version == .v5 {
            let seconds = UInt32(clamping: settings.sessionExpiry.components.seconds)
            unsafe mosquitto_property_add_int32(&properties, MQTT_PROP_SESSION_EXPIRY_INTERVAL.id, seconds)
            unsafe mosquitto_property_add_int32(&properties, MQTT_PROP_MAXIMUM_PACKET_SIZE.id, 1 << 20)
        }
        let result = unsafe mosquitto_connect_bind_v5(
            handle, settings.host, Int32(settings.effectivePort),
            Int32(clamping: max(5, settings.keepAlive.components.seconds)), nil, properties)
        return (result, errno)
    }

    /// Reads up to a limit of packets, so that a flood does not keep the gateway from other work.
    func read() -> Int32 { unsafe mosquitto_loop_read(handle, 1) }
    func write() -> Int32 { unsafe mosquitto_loop_write(handle, 1) }
    /// Sends what keeps the connection alive. Returns an error if the broker did not answer.
    func keepAlive() -> Int32 { unsafe mosquitto_loop_misc(handle) }
    func disconnect() -> Int32 { unsafe mosquitto_disconnect_v5(handle, 0, nil) }

    func subscribe(to filters: [String]) -> Int32 {
        for filter in filters {
            var message: Int32 = 0
            let result = unsafe mosquitto_subscribe_v5(handle, &message, filter, 1, 0, nil)
            if result != 0 { return result }
            subscriptions[message] = filter
        }
        return 0
    }

    /// - Returns: The result, and the number that the report of the acknowledgement has.
    func publish(_ publication: Publication) -> (result: Int32, message: Int32) {
        var message: Int32 = 0
        let result = unsafe publication.payload.withUnsafeBytes { payload in
            unsafe mosquitto_publish_v5(
                handle, &message, publication.topic, Int32(payload.count), payload.baseAddress,
                Int32(publication.qualityOfService), publication.isRetained, nil)
        }
        return (result, message)
    }

    private var currentCertificateProblem: String? {
        // libmosquitto links libssl. Its functions are looked up, so that the gateway does not link it again.
        guard let connection = unsafe mosquitto_ssl_get(handle),
            let getResult = unsafe dlsym(nil, "SSL_get_verify_result"),
            let getText = unsafe dlsym(nil, "X509_verify_cert_error_string")
        else { return nil }
        typealias GetResult = @convention(c) (UnsafeMutableRawPointer) -> Int
        typealias GetText = @convention(c) (Int) -> UnsafePointer<CChar>?
        let code = unsafe unsafeBitCast(getResult, to: GetResult.self)(connection)
        guard code != 0, let text = unsafe unsafeBitCast(getText, to: GetText.self)(code) else { return nil }
        return unsafe String(cString: text)
    }

    static func text(of result: Int32) -> String { unsafe String(cString: mosquitto_strerror(result)) }
    static func text(ofReason reason: Int32) -> String { unsafe String(cString: mosquitto_reason_string(reason)) }
    static func text(ofConnectCode code: Int32) -> String { unsafe String(cString: mosquitto_connack_string(code)) }
}

// Settings.
extension MosquittoClient {
    private func configure(_ client: BrokerClient) throws(BrokerFailure) {
        let version = settings.version == .v5 ? MQTT_PROTOCOL_V5 : MQTT_PROTOCOL_V311
        unsafe mosquitto_int_option(handle, MOSQ_OPT_PROTOCOL_VERSION, version)
        unsafe mosquitto_int_option(handle, MOSQ_OPT_TCP_NODELAY, 1)
        if let user = settings.user, unsafe mosquitto_username_pw_set(handle, user, settings.password?.text) != 0 {
            throw BrokerFailure(.refused, "the user name or the password is not valid UTF-8; correct the configuration")
        }
        if let will = client.will { try setWill(will) }
        if let tls = settings.tls { try setTLS(tls) }
    }

    private func setWill(_ will: Publication) throws(BrokerFailure) {
        let result = unsafe will.payload.withUnsafeBytes { payload in
            unsafe mosquitto_will_set(
                handle, will.topic, Int32(payload.count), payload.baseAddress, Int32(will.qualityOfService),
                will.isRetained)
        }
        guard result == 0 else {
            throw BrokerFailure(
                .refused, "the availability topic \(will.topic) is not valid; correct the configuration")
        }
    }

    private func setTLS(_ tls: BrokerSettings.TLS) throws(BrokerFailure) {
        for path in [tls.authorities, tls.certificate, tls.key] {
            guard let path else { continue }
            let result = unsafe access(path, R_OK)
            guard result == 0 else {
                let cause = unsafe String(cString: strerror(errno))
                throw BrokerFailure(
                    .certificate, "reading \(path) failed: \(cause); correct the path or the permissions")
            }
        }
        let folder = tls.authorities == nil ? "/etc/ssl/certs" : nil
        // Without a callback, OpenSSL asks for the password of an encrypted key on the terminal, and waits.
        let result = unsafe mosquitto_tls_set(handle, tls.authorities, folder, tls.certificate, tls.key) { _, _, _, _ in
            0
        }
        guard result == 0 else {
            throw BrokerFailure(
                .certificate,
                "the files of TLS cannot be used: \(Self.text(of: result)); name a certificate and its key")
        }
        unsafe mosquitto_tls_opts_set(handle, 1, nil, nil)
    }
}

// What libmosquitto calls.
extension MosquittoClient {
    private func setCallbacks() {
        unsafe mosquitto_connect_v5_callback_set(handle) { _, context, code, flags, _ in
            unsafe client(context).reports.append(.connected(code: code, isSessionPresent: flags & 1 != 0))
        }
        unsafe mosquitto_disconnect_v5_callback_set(handle) { _, context, code, _ in
            unsafe client(context).reports.append(.closed(code: code))
        }
        unsafe mosquitto_publish_v5_callback_set(handle) { _, context, message, reason, _ in
            unsafe client(context).reports.append(.acknowledged(message: message, reason: reason))
        }
        unsafe mosquitto_subscribe_v5_callback_set(handle) { _, context, message, count, granted, _ in
            let client = unsafe client(context)
            guard let filter = client.subscriptions.removeValue(forKey: message), count > 0,
                let reason = unsafe granted?.pointee, reason >= 0x80
            else { return }
            client.reports.append(.subscriptionRefused(filter: filter, reason: reason))
        }
        unsafe mosquitto_message_v5_callback_set(handle) { _, context, message, properties in
            guard let message = unsafe message?.pointee, let topic = unsafe message.topic else { return }
            let payload = unsafe [UInt8](
                UnsafeRawBufferPointer(start: message.payload, count: max(0, Int(message.payloadlen))))
            let received = unsafe ReceivedMessage(
                topic: String(cString: topic), payload: payload, isRetained: message.retain,
                hasExpiry: mosquitto_property_read_int32(
                    properties, MQTT_PROP_MESSAGE_EXPIRY_INTERVAL.id, nil, false) != nil)
            unsafe client(context).reports.append(.received(received))
        }
        unsafe mosquitto_log_callback_set(handle) { _, context, level, text in
            guard level == MOSQ_LOG_ERR, let text = unsafe text else { return }
            let client = unsafe client(context)
            // libmosquitto forgets it after it has logged the error.
            if client.certificateProblem == nil { client.certificateProblem = client.currentCertificateProblem }
            if client.errors.count < MosquittoClient.maximumErrors {
                client.errors.append(unsafe String(cString: text))
            }
        }
    }
}

private func client(_ context: UnsafeMutableRawPointer?) -> MosquittoClient {
    unsafe Unmanaged<MosquittoClient>.fromOpaque(context!).takeUnretainedValue()
}

extension mqtt5_property {
    fileprivate var id: Int32 { Int32(rawValue) }
}

extension BrokerSettings {
    var effectivePort: UInt16 { port ?? (tls == nil ? 1883 : 8883) }
}
