import Testing

@testable import Gateway

@Suite struct HTTPRequestHeadTests {
    private func outcome(_ text: String) -> HTTPRequestHead.Outcome {
        var head = HTTPRequestHead()
        return head.read(Array(text.utf8)[...])
    }

    @Test func `A complete head has a method and a target`() {
        #expect(
            outcome("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n") == .complete(method: "GET", target: "/metrics"))
        #expect(outcome("POST /x HTTP/1.0\n\n") == .complete(method: "POST", target: "/x"))
    }

    @Test func `A request that arrives byte by byte is complete at its empty line`() {
        var head = HTTPRequestHead()
        let bytes = Array("GET /metrics HTTP/1.1\r\nA: b\r\n\r\n".utf8)
        for byte in bytes.dropLast() { #expect(head.read([byte]) == .incomplete) }
        #expect(head.read(bytes.suffix(1)) == .complete(method: "GET", target: "/metrics"))
    }

    @Test(arguments: [
        "GET\r\n\r\n", "GET /metrics\r\n\r\n", " / HTTP/1.1\r\n\r\n", "GET  HTTP/1.1\r\n\r\n",
        "GET /metrics HTTP/2.0\r\n\r\n", "GET /metrics HTTP/1.1 x\r\n\r\n", "GET /\u{7F} HTTP/1.1\r\n\r\n",
        "GET /ü HTTP/1.1\r\n\r\n", "\u{16}\u{3}\u{1}\n\n", "\r\n\r\n",
    ])
    func `A malformed first line is refused`(text: String) {
        #expect(outcome(text) == .refused(.badRequest))
    }

    @Test func `A long line is refused before it ends`() {
        #expect(outcome(String(repeating: "a", count: HTTPRequestHead.longestLine)) == .incomplete)
        #expect(outcome(String(repeating: "a", count: HTTPRequestHead.longestLine + 1)) == .refused(.lineTooLong))
        let long = "GET /" + String(repeating: "a", count: HTTPRequestHead.longestLine) + " HTTP/1.1\r\n\r\n"
        #expect(outcome(long) == .refused(.lineTooLong))
    }

    @Test func `A head of any size is refused and not stored`() {
        var head = HTTPRequestHead()
        _ = head.read(Array("GET /metrics HTTP/1.1\r\n".utf8)[...])
        let field = Array("A: b\r\n".utf8)
        var last = HTTPRequestHead.Outcome.incomplete
        for _ in 0..<10_000 { last = head.read(field[...]) }
        #expect(last == .refused(.headTooLarge))
    }

    @Test func `Only GET of the metrics is answered with the metrics`() {
        let metrics = { "x 1\n" }
        #expect(HTTPResponse.to(.complete(method: "GET", target: "/metrics"), metrics: metrics)?.body == "x 1\n")
        #expect(HTTPResponse.to(.complete(method: "PUT", target: "/metrics"), metrics: metrics)?.status == .wrongMethod)
        #expect(HTTPResponse.to(.complete(method: "GET", target: "/"), metrics: metrics)?.status == .notFound)
        #expect(HTTPResponse.to(.incomplete, metrics: metrics) == nil)
    }

    @Test(arguments: [
        "/metrics?x=y", "/metrics?", "http://localhost:9465/metrics", "HTTP://[::1]:9465/metrics?name[]=up",
    ])
    func `A query and the absolute form name the same resource`(target: String) {
        let response = HTTPResponse.to(.complete(method: "GET", target: target)) { "x 1\n" }
        #expect(response?.body == "x 1\n")
    }

    @Test(arguments: [
        "/metricsx", "/metrics/", "metrics", "?/metrics", "http://localhost", "http://localhost?/metrics",
        "https://localhost/metrics", "http:/metrics", "//metrics", "*", "http://h/x/metrics",
    ])
    func `Other targets are not found`(target: String) {
        let response = HTTPResponse.to(.complete(method: "GET", target: target)) { "x 1\n" }
        #expect(response?.status == .notFound)
    }

    @Test func `A response has the length of its body`() {
        let text = String(decoding: HTTPResponse(status: .success, body: "ä\n").bytes, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.0 200 OK\r\n"))
        #expect(text.contains("Content-Length: 3\r\n"))
        #expect(text.hasSuffix("\r\n\r\nä\n"))
    }
}

@Suite struct MetricsTextTests {
    @Test func `A metric has its help, its type and its samples`() {
        var text = MetricsText()
        text.add("a_total", .counter, "Some.", [([("adapter", "hci0")], 3), ([("adapter", "x\"\\\n")], 0.5)])
        text.add("b", .gauge, "None.", [])
        #expect(
            text.text
                == "# HELP a_total Some.\n# TYPE a_total counter\na_total{adapter=\"hci0\"} 3\n"
                + "a_total{adapter=\"x\\\"\\\\\\n\"} 0.5\n")
    }

    @Test func `Numbers have the notation of Prometheus`() {
        #expect(
            [3, 0.25, .nan, .infinity, -.infinity].map(MetricsText.number) == ["3", "0.25", "NaN", "+Inf", "-Inf"])
    }
}
