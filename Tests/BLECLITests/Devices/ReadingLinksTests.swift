import RxBluetooth
import Testing

@testable import ble_cli

/// When another link replaces the one over which values are read.
struct ReadingLinksTests {
    private let refused = BluetoothError(.needsPairing)
    private let stalled = BluetoothError(.connectionStalled, detail: "An earlier operation needed pairing")
    private let lost = BluetoothError(.disconnected(.authentication))
    private let unexplained = BluetoothError(.disconnected(.unknown))

    @Test func `After a refused pairing, the next value needs another link`() {
        var links = ReadingLinks()
        let first = links.fail(refused, in: nil)
        #expect(first == .shown(refused) && links.end == .stalled(refused) && links.isStalled)
        let second = links.fail(stalled, in: nil)
        #expect(second == .replacement && links.isFirst)
        links.replace(after: .stalled(stalled), isShared: false)
        #expect(links.end == nil && links.obstacle == nil && !links.isFirst)
        #expect(links.canReplace(in: nil))
    }

    @Test func `No value is read over the stalled link of another program`() {
        var links = ReadingLinks()
        _ = links.fail(refused, in: nil)
        links.replace(after: .stalled(stalled), isShared: true)
        #expect(links.isStalled && !links.canReplace(in: nil))
        #expect(links.obstacle == BluetoothError(.connectionStalled) && links.obstacle?.detail == stalled.detail)
    }

    @Test func `A loss stays until the next link reads values`() {
        var links = ReadingLinks()
        let first = links.fail(lost, in: nil)
        #expect(first == .shown(lost) && links.end == .lost(lost) && !links.isStalled)
        // The next value of the same link.
        let second = links.fail(lost, in: nil)
        #expect(second == .failure && links.loss == lost)
        links.replace(after: .lost(lost), isShared: false)
        #expect(links.loss == lost && links.obstacle == nil)
        links.beginReading()
        #expect(links.end == nil && links.canReplace(in: nil))
    }

    @Test func `A link that is lost after a refused pairing is not stalled`() {
        var links = ReadingLinks()
        _ = links.fail(refused, in: nil)
        _ = links.fail(lost, in: nil)
        #expect(links.end == .lost(lost))
        links.replace(after: .lost(lost), isShared: false)
        links.beginReading()
        #expect(links.end == nil)
    }

    @Test(arguments: [
        BluetoothError.Kind.disconnected(.unknown), .notConnected, .daemonUnavailable, .busUnavailable, .closed,
    ])
    func `An error that no value has caused ends the work`(kind: BluetoothError.Kind) {
        var links = ReadingLinks()
        let consequence = links.fail(BluetoothError(kind), in: nil)
        #expect(consequence == .failure && links.end == nil)
    }

    @Test func `One link reads values after a loss without a known cause`() {
        var links = ReadingLinks()
        links.replace(after: .lost(unexplained), isShared: false)
        links.beginReading()
        #expect(links.obstacle == nil && links.canReplace(in: nil))
        links.replace(after: .lost(unexplained), isShared: false)
        links.beginReading()
        #expect(links.obstacle?.kind == .connectionStalled && !links.canReplace(in: nil))
    }

    @Test func `Eight links replace others`() {
        for end in [ReadingLinks.End.stalled(stalled), .lost(lost)] {
            var links = ReadingLinks()
            for _ in 0..<8 {
                #expect(links.canReplace(in: nil) && links.obstacle == nil)
                links.replace(after: end, isShared: false)
                links.beginReading()
            }
            #expect(!links.canReplace(in: nil))
            // After a loss, the last link reads no values.
            #expect((links.obstacle == nil) == (end == .stalled(stalled)))
        }
    }

    @Test func `The last link is not replaced if it is lost before it reads values`() {
        for (error, count) in [(lost, 8), (unexplained, 2)] {
            var links = ReadingLinks()
            _ = links.fail(lost, in: nil)
            for _ in 0..<count {
                #expect(links.loss != nil)
                links.replace(after: .lost(error), isShared: false)
            }
            #expect(links.loss == nil && links.obstacle != nil)
        }
    }

    @Test func `No link is replaced less than 4 s before the deadline`() {
        var links = ReadingLinks()
        let late = Duration.milliseconds(3_999)
        #expect(!links.canReplace(in: late) && links.canReplace(in: .seconds(4)))
        let loss = links.fail(lost, in: late)
        #expect(loss == .failure && links.end == nil)
        let stall = links.fail(stalled, in: late)
        #expect(stall == .shown(stalled) && links.isStalled)
        let early = links.fail(stalled, in: .seconds(4))
        #expect(early == .replacement)
    }

    @Test func `A missing reply refers to an earlier one of the same link`() {
        var links = ReadingLinks()
        let silent = BluetoothError(.timedOut)
        let first = detail(of: links.fail(silent, in: nil))
        let second = detail(of: links.fail(silent, in: nil))
        #expect(first == nil && second?.contains("earlier value") == true)
        links.succeed()
        let afterValue = detail(of: links.fail(silent, in: nil))
        links.replace(after: .stalled(stalled), isShared: false)
        let overNextLink = detail(of: links.fail(silent, in: nil))
        #expect(afterValue == nil && overNextLink == nil)
    }

    private func detail(of consequence: ReadingLinks.Consequence) -> String? {
        if case .shown(let error) = consequence { error.detail } else { nil }
    }
}
