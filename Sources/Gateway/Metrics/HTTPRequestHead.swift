/// Reads the head of an HTTP request from a client that may send anything.
///
/// The head is bounded, and only its first line is interpreted. Source: RFC 9112, sections 2.1 and 3.
struct HTTPRequestHead {
    /// What is known about a request after some of its bytes.
    enum Outcome: Equatable {
        /// The head is not complete.
        case incomplete
        /// The head is complete and valid.
        case complete(method: String, target: String)
        /// The request is answered with this status, and nothing more is read.
        case refused(HTTPStatus)
    }

    /// The longest first line in bytes.
    static let longestLine = 1024
    /// The largest head in bytes, with all fields.
    static let largestHead = 8192

    private var bytes: [UInt8] = []

    /// Adds received bytes.
    mutating func read(_ more: ArraySlice<UInt8>) -> Outcome {
        // Bytes beyond the limit are not stored.
        bytes += more.prefix(Self.largestHead + 1 - bytes.count)
        guard let line = firstLine else {
            return bytes.count > Self.longestLine ? .refused(.lineTooLong) : .incomplete
        }
        guard line.count <= Self.longestLine else { return .refused(.lineTooLong) }
        guard isComplete else { return bytes.count > Self.largestHead ? .refused(.headTooLarge) : .incomplete }
        return Self.interpret(line)
    }

    /// The first line without its end; nil if the end is missing.
    private var firstLine: ArraySlice<UInt8>? {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        let line = bytes[..<end]
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }

    /// Whether an empty line ends the head.
    private var isComplete: Bool {
        var lineLength = 0
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\n"):
                if lineLength == 0 { return true }
                lineLength = 0
            case UInt8(ascii: "\r"): break
            default: lineLength += 1
            }
        }
        return false
    }

    private static func interpret(_ line: ArraySlice<UInt8>) -> Outcome {
        guard line.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return .refused(.badRequest) }
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count == 3, words[2] == "HTTP/1.1" || words[2] == "HTTP/1.0", !words[0].isEmpty, !words[1].isEmpty
        else { return .refused(.badRequest) }
        return .complete(method: words[0], target: words[1])
    }
}

/// The status of an HTTP response.
struct HTTPStatus: Equatable {
    let code: Int
    let text: String

    static let success = HTTPStatus(code: 200, text: "OK")
    static let badRequest = HTTPStatus(code: 400, text: "Bad Request")
    static let notFound = HTTPStatus(code: 404, text: "Not Found")
    static let wrongMethod = HTTPStatus(code: 405, text: "Method Not Allowed")
    static let lineTooLong = HTTPStatus(code: 414, text: "URI Too Long")
    static let headTooLarge = HTTPStatus(code: 431, text: "Request Header Fields Too Large")
}

/// A response of the server for metrics.
struct HTTPResponse: Equatable {
    let status: HTTPStatus
    var body = ""

    /// Returns the response to a request.
    ///
    /// - Parameter metrics: Returns the metrics. Called only if they are requested.
    static func to(_ outcome: HTTPRequestHead.Outcome, metrics: () -> String) -> HTTPResponse? {
        switch outcome {
        case .incomplete: return nil
        case .refused(let status): return HTTPResponse(status: status)
        case .complete(let method, let target):
            guard path(of: target) == "/metrics" else { return HTTPResponse(status: .notFound) }
            guard method == "GET" else { return HTTPResponse(status: .wrongMethod) }
            return HTTPResponse(status: .success, body: metrics())
        }
    }

    /// Returns the path of a target, without the query and without the scheme and host of the absolute form.
    private static func path(of target: String) -> Substring {
        let scheme = "http://"
        let resource = target.prefix { $0 != "?" }
        guard resource.prefix(scheme.count).lowercased() == scheme else { return resource }
        return resource.dropFirst(scheme.count).drop { $0 != "/" }
    }

    /// The bytes of the response. Source: RFC 9112, and Prometheus' text format 0.0.4.
    var bytes: [UInt8] {
        let body = status == .success ? body : status.text + "\n"
        var head = "HTTP/1.0 \(status.code) \(status.text)\r\n"
        head += "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"
        if status == .wrongMethod { head += "Allow: GET\r\n" }
        head += "Content-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n"
        return Array((head + body).utf8)
    }
}
