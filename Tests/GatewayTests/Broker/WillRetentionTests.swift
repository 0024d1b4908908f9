import Testing

@testable import Gateway

@Suite struct WillRetentionTests {
    @Test func `A broker without retained messages gets no retained last will until it has them`() {
        var retention = WillRetention()
        #expect(!retention.isRefused)
        retention.closed(isWillRefused: true, keepsRetained: false)
        #expect(retention.isRefused)
        retention.closed(isWillRefused: false, keepsRetained: false)
        #expect(retention.isRefused)
        retention.closed(isWillRefused: false, keepsRetained: true)
        #expect(!retention.isRefused)
        retention.closed(isWillRefused: false, keepsRetained: true)
        #expect(!retention.isRefused)
    }

    @Test func `A broker that contradicts itself gets a retained last will twice in total`() {
        var retention = WillRetention()
        var refusedCount = 0
        for _ in 0..<20 {
            let isWillRefused = !retention.isRefused
            if isWillRefused { refusedCount += 1 }
            retention.closed(isWillRefused: isWillRefused, keepsRetained: !isWillRefused)
        }
        #expect(refusedCount == 2 && retention.isRefused)
    }
}
