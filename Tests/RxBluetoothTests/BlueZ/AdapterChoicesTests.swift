import TestTraits
import Testing

@testable import RxBluetooth

/// The choice of an adapter for a selection such as a name, tested without a bus.
struct AdapterChoicesTests {
    private static let first: BluetoothAddress = "00:00:00:00:00:01"
    private static let second: BluetoothAddress = "00:00:00:00:00:02"
    private let peripherals = PeripheralTable()

    /// Returns candidates with these numbers and addresses.
    private func candidates(
        _ addresses: [UInt16: BluetoothAddress], isPowered: Bool = true, links: [UInt16: Int] = [:]
    ) -> AdapterCandidates {
        var records: [UInt16: AdapterRecord] = [:]
        for (number, address) in addresses.sorted(by: { $0.key < $1.key }) {
            var record = AdapterRecord(number: number)
            record.address = address
            record.isPowered = isPowered
            records[number] = record
            peripherals.follow(record)
        }
        return AdapterCandidates(records: records, linkCounts: links, peripherals: peripherals)
    }

    @Test(.proves(.Q28)) func `A query does not bind a name to an adapter`() {
        let choices = AdapterChoices(.automatic)
        #expect(choices.adapter(for: .named("hci1"), candidates([1: Self.first])) == 1)
        let swapped = candidates([1: Self.second, 2: Self.first])
        #expect(choices.adapter(for: .named("hci1"), swapped) == 1)
    }

    @Test(.proves(.Q28)) func `A selected name follows its adapter to another number`() {
        var choices = AdapterChoices(.automatic)
        choices.keep(.named("hci1"), candidates([1: Self.first]))
        choices.update(candidates([1: Self.second, 2: Self.first]))
        #expect(choices.adapter(for: .named("hci1"), candidates([:])) == 2)
    }

    @Test(.proves(.Q28)) func `A name selected in advance binds to the first adapter with that name`() {
        var choices = AdapterChoices(.automatic)
        choices.keep(.named("hci1"), candidates([:]))
        choices.update(candidates([1: Self.first]))
        choices.reset()
        #expect(choices.adapter(for: .named("hci1"), candidates([:])) == nil)
        choices.update(candidates([1: Self.second, 2: Self.first]))
        #expect(choices.adapter(for: .named("hci1"), candidates([:])) == 2)
    }

    @Test(.proves(.Q27)) func `The automatic choice has the fewest links and is kept while available`() {
        var choices = AdapterChoices(.automatic)
        let both: [UInt16: BluetoothAddress] = [0: Self.first, 1: Self.second]
        choices.update(candidates(both, links: [0: 2, 1: 1]))
        #expect(choices.adapter(for: .automatic, candidates([:])) == 1)
        choices.update(candidates(both, links: [0: 0, 1: 3]))
        #expect(choices.adapter(for: .automatic, candidates([:])) == 1)
        choices.update(candidates([0: Self.first]))
        #expect(choices.adapter(for: .automatic, candidates([:])) == 0)
    }
}
