import TestTraits
import Testing

@testable import RxBluetooth

/// The state machine of the values that are sent to centrals.
struct UpdateQueueTests {
    private func queue(
        isConfirmed: Bool = false, capacity: Int = 100, _ overflow: ValueBuffer.Overflow = .dropOldest
    ) -> UpdateQueue {
        var queue = UpdateQueue(
            isConfirmed: isConfirmed, buffer: ValueBuffer(capacity: capacity, overflow: overflow))
        #expect(queue.handle(.subscribed) == [])
        return queue
    }

    @Test(.proves(.S97)) func `At most 16 values are sent before bluetoothd has received them`() {
        var queue = queue()
        #expect(queue.handle(.added(id: 1, value: [1])) == [.send([1]), .awaitReceipt(batch: 1)])
        for id in 2...40 { #expect(queue.handle(.added(id: id, value: [UInt8(id)])) == []) }
        var expected: [UpdateQueue.Action] = [.finish(id: 1, wasSent: true)]
        expected += (2...17).map { .send([UInt8($0)]) }
        #expect(queue.handle(.received(batch: 1)) == expected + [.awaitReceipt(batch: 2)])
        #expect(queue.handle(.received(batch: 1)) == [])
        #expect(queue.handle(.received(batch: 3)) == [])
        #expect(queue.handle(.received(batch: 2)).count == 16 + 16 + 1)
        #expect(queue.handle(.received(batch: 3)).count == 16 + 7 + 1)
        #expect(queue.handle(.received(batch: 4)).count == 7)
        #expect(queue.handle(.received(batch: 4)) == [])
    }

    @Test(.proves(.S97)) func `Indications are sent one at a time`() {
        var queue = queue(isConfirmed: true)
        #expect(queue.handle(.added(id: 1, value: [1])) == [.send([1]), .awaitReceipt(batch: 1)])
        #expect(queue.handle(.added(id: 2, value: [2])) == [])
        #expect(
            queue.handle(.timedOut(batch: 1)) == [.fail(id: 1, .timedOut), .send([2]), .awaitReceipt(batch: 2)])
        #expect(queue.handle(.timedOut(batch: 1)) == [])
        #expect(queue.handle(.received(batch: 2)) == [.finish(id: 2, wasSent: true)])
    }

    @Test(.proves(.S97)) func `The end of the last subscription finishes all values; later receipts do nothing`() {
        var queue = queue()
        _ = queue.handle(.added(id: 1, value: [1]))
        _ = queue.handle(.added(id: 2, value: [2]))
        #expect(
            queue.handle(.unsubscribed) == [.finish(id: 1, wasSent: false), .finish(id: 2, wasSent: false)])
        #expect(queue.handle(.added(id: 3, value: [3])) == [.finish(id: 3, wasSent: false)])
        _ = queue.handle(.subscribed)
        #expect(queue.handle(.received(batch: 1)) == [])
        #expect(queue.handle(.added(id: 4, value: [4])) == [.send([4]), .awaitReceipt(batch: 2)])
        #expect(queue.handle(.received(batch: 1)) == [])
        #expect(queue.isSubscribed)
    }

    @Test(.proves(.S97)) func `A full queue acts as its buffer says`() {
        var oldest = queue(capacity: 1)
        var newest = queue(capacity: 1, .dropNewest)
        var failing = queue(capacity: 1, .fail)
        for id in 1...2 {
            _ = oldest.handle(.added(id: id, value: []))
            _ = newest.handle(.added(id: id, value: []))
            _ = failing.handle(.added(id: id, value: []))
        }
        #expect(oldest.handle(.added(id: 3, value: [])) == [.finish(id: 2, wasSent: false)])
        #expect(newest.handle(.added(id: 3, value: [])) == [.finish(id: 3, wasSent: false)])
        #expect(failing.handle(.added(id: 3, value: [])) == [.fail(id: 3, .overflow)])
    }

    @Test(.proves(.S97)) func `A cancelled value that waits is not sent`() {
        var queue = queue()
        for id in 1...3 { _ = queue.handle(.added(id: id, value: [UInt8(id)])) }
        #expect(queue.handle(.cancelled(id: 2)) == [])
        #expect(queue.handle(.cancelled(id: 1)) == [])
        #expect(
            queue.handle(.received(batch: 1)) == [
                .finish(id: 1, wasSent: true), .send([3]), .awaitReceipt(batch: 2),
            ])
    }
}
