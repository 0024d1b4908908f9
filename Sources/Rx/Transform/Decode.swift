public import FoundationEssentials

extension ObservableType where Element == Data {
    /// Decodes each piece of data.
    ///
    /// If the decoder throws, the stream fails with that error.
    public func decode<Item: Decodable, Decoder: DataDecoder>(type: Item.Type, decoder: Decoder) -> Observable<Item> {
        lift { DecodeSink<Item, Decoder>(decoder, into: $0) }
    }
}

/// A decoder of values from data.
@preconcurrency
public protocol DataDecoder: Sendable {
    /// Decodes a value of the given type from the data.
    func decode<Item: Decodable>(_ type: Item.Type, from data: Data) throws -> Item
}

extension JSONDecoder: DataDecoder {}
extension PropertyListDecoder: DataDecoder {}

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
