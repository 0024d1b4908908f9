import Rx
import Testing

@Suite struct ValuesTests {
    @Test func noElementIsLostBetweenTheCallAndTheLoop() async throws {
        let subject = PublishSubject<Int>()
        let values: AsyncThrowingStream<Int, any Error> = subject.values
        #expect(subject.hasObservers)
        for value in 0..<1000 { subject.onNext(value) }
        subject.onCompleted()
        var all: [Int] = []
        for try await value in values { all.append(value) }
        #expect(all == Array(0..<1000))
    }

    @Test func aBoundedBufferStoresTheNewestElements() async throws {
        let subject = PublishSubject<Int>()
        let values = subject.values(bufferingPolicy: .bufferingNewest(2))
        for value in 0..<10 { subject.onNext(value) }
        subject.onCompleted()
        var all: [Int] = []
        for try await value in values { all.append(value) }
        #expect(all == [8, 9])
    }

    @Test func releasingTheSequenceDisposesOfTheSubscription() {
        let subject = PublishSubject<Int>()
        do { _ = subject.values }
        #expect(!subject.hasObservers)
    }
}
