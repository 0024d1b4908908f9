import Foundation
import Rx
import RxTest
import XCTest

let testError = NSError(domain: "dummyError", code: -232, userInfo: nil)
let testError1 = NSError(domain: "dummyError1", code: -233, userInfo: nil)

struct EquatableArray<Element: Equatable>: Equatable {
    let elements: [Element]
    init(_ elements: [Element]) { self.elements = elements }
}

func XCTAssertErrorEqual(_ lhs: Swift.Error, _ rhs: Swift.Error, file: StaticString = #file, line: UInt = #line) {
    let event1: Event<Int> = .error(lhs)
    let event2: Event<Int> = .error(rhs)
    XCTAssertTrue(event1 == event2, "\(lhs) is not \(rhs)", file: file, line: line)
}

/// A base class as in RxSwift's own tests: each test fails if it leaves objects of Rx in memory.
class ResourceCountingCase: XCTestCase {
    private var startResourceCount: Int32 = 0

    struct Defaults {
        static let created = TestScheduler.Defaults.created
        static let subscribed = TestScheduler.Defaults.subscribed
        static let disposed = TestScheduler.Defaults.disposed
    }

    override func setUp() {
        super.setUp()
        startResourceCount = Resources.total
    }

    override func tearDown() {
        // Waits while other threads release their last objects, which takes long on a busy machine.
        let limit = Date(timeIntervalSinceNow: 20)
        while startResourceCount < Resources.total, Date() < limit {
            RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.01))
        }
        // Less is no leak: other threads may have released the last objects of an earlier test meanwhile.
        XCTAssertLessThanOrEqual(Resources.total, startResourceCount)
        super.tearDown()
    }
}
