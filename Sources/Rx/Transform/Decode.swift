public import FoundationEssentials

extension ObservableType where Element == Data {
    /// Each piece of data decoded. What the decoder throws is an error of the stream.
    public func decode<Item: Decodable, Decoder: DataDecoder>(type: Item.Type, decoder: Decoder) -> Observable<Item> {
        Observable<Item>(Decode<Item, Decoder>(asObservable().source, decoder))
    }
}

/// Something that makes a value of data.
@preconcurrency
public protocol DataDecoder: Sendable {
    /// The value of that type that the data stands for.
    func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

private final class Decode<Item: Decodable, Decoder: DataDecoder>: Source<Item> {
    private let upstream: Source<Data>
    private let decoder: Decoder

    init(_ upstream: Source<Data>, _ decoder: Decoder) {
        self.upstream = upstream
        self.decoder = decoder
    }

    override func run(_ sink: Sink<Item>) { upstream.run(DecodeSink(decoder, into: sink)) }
}

private final class DecodeSink<Item: Decodable, Decoder: DataDecoder>: SingleInputSink<Data, Item> {
    private let decoder: Decoder

    init(_ decoder: Decoder, into downstream: Sink<Item>) {
        self.decoder = decoder
        super.init(into: downstream)
    }

    override func next(_ value: Data) {
        do {
            forward(try decoder.decode(Item.self, from: value))
        } catch {
            fail(error)
        }
    }
}
