import Testing

@testable import Gateway

struct EarlierTimeTests {
    @Test(
        arguments: [
            (nil, nil, nil), (.seconds(1), nil, .seconds(1)), (nil, .seconds(2), .seconds(2)),
            (.seconds(1), .seconds(2), .seconds(1)), (.seconds(3), .seconds(2), .seconds(2)),
        ] as [(Duration?, Duration?, Duration?)])
    func `The earlier one of two times that may be missing`(one: Duration?, other: Duration?, earlier: Duration?) {
        #expect(one.earlier(other) == earlier)
    }
}
