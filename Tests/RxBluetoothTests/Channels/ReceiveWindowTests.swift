import TestTraits
import Testing

@testable import RxBluetooth

/// The packets that wait for one subscriber of a channel, without a socket.
struct ReceiveWindowTests {
    @Test(.proves(.S115)) func `A full window stops the channel until half of it is consumed`() {
        let window = ReceiveWindow(4)
        let resumed = Guarded(0)
        #expect(window.room == 4 && window.hasRoom { Issue.record("The window was never full.") })
        window.add(3)
        #expect(window.room == 1 && window.hasRoom { Issue.record("The window was not full.") })
        window.add(1)
        #expect(window.room == 0 && !window.hasRoom { resumed.withLock { $0 += 1 } })
        window.consumed()
        #expect(resumed.withLock { $0 } == 0 && window.room == 1)
        window.consumed()
        #expect(resumed.withLock { $0 } == 1 && window.room == 2)
        window.consumed()
        #expect(resumed.withLock { $0 } == 1 && window.room == 3)
    }

    @Test(.proves(.S115), arguments: [0, -3, 1])
    func `The smallest window has one packet`(capacity: Int) {
        let window = ReceiveWindow(capacity)
        let resumed = Guarded(0)
        #expect(window.room == 1)
        window.add(1)
        #expect(!window.hasRoom { resumed.withLock { $0 += 1 } })
        window.consumed()
        #expect(resumed.withLock { $0 } == 1 && window.room == 1)
    }
}
