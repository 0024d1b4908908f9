import FoundationEssentials
import Rx
import RxTest
import Testing

@Suite struct DecodeTests {
    struct Beacon: Codable, Equatable { let name: String }

    func run(
        _ events: [RecordedEvent<Data>], disposed: Int = 1000
    ) -> (TestableObserver<Beacon>, TestableObservable<Data>) {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable(events)
        return (
            scheduler.start(disposed: disposed) { source.decode(type: Beacon.self, decoder: JSONDecoder()) }, source
        )
    }

    let good = Data(#"{ "name": "tag" }"#.utf8)

    @Test func decodesEachPieceOfData() {
        let (result, source) = run([.next(210, good), .next(220, good), .completed(230)])
        #expect(result.events == [.next(210, Beacon(name: "tag")), .next(220, Beacon(name: "tag")), .completed(230)])
        #expect(source.subscriptions == [Subscription(200, 230)])
    }

    @Test func invalidDataFailsTheStream() {
        let (result, source) = run([.next(210, good), .next(220, Data("{".utf8)), .next(230, good)])
        #expect(result.elements == [Beacon(name: "tag")])
        #expect(result.events.last?.time == 220)
        #expect(result.events.last?.value.error is DecodingError)
        #expect(source.subscriptions == [Subscription(200, 220)])
    }

    @Test func errorsAreForwardedAndDisposalDisposesOfTheSource() {
        let (result, _) = run([.error(210, TestError.first)])
        #expect(result.events == [.error(210, TestError.first)])
        let (cut, source) = run([.next(210, good), .next(220, good)], disposed: 215)
        #expect(cut.events.count == 1)
        #expect(source.subscriptions == [Subscription(200, 215)])
    }

    @Test func propertyListsAndCustomDecodersWork() throws {
        struct Fixed: DataDecoder {
            func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item {
                try JSONDecoder().decode(type, from: Data(#"{ "name": "fixed" }"#.utf8))
            }
        }
        let log = Log<Beacon>()
        let list = try PropertyListEncoder().encode(Beacon(name: "list"))
        _ = Observable.just(list).decode(type: Beacon.self, decoder: PropertyListDecoder())
            .subscribe(onNext: { log.add($0) })
        _ = Observable.just(Data()).decode(type: Beacon.self, decoder: Fixed()).subscribe(onNext: { log.add($0) })
        #expect(log.all == [Beacon(name: "list"), Beacon(name: "fixed")])
    }
}
