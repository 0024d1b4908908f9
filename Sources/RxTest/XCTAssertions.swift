#if canImport(XCTest)
    public import Rx
    import XCTest

    // These three are functions of XCTest's kind, and not equalities, because `Result` can be made equatable by nobody
    // but the standard library. They are all that this module needs XCTest for.

    /// Asserts that the outcomes of two `Single`s are the same: equal elements, or errors of one description.
    public func XCTAssertEqual<Element: Equatable>(
        _ lhs: SingleEvent<Element>, _ rhs: SingleEvent<Element>, file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertTrue(lhs == rhs, "\(lhs) is not equal to \(rhs).", file: file, line: line)
    }

    /// Asserts that the outcomes of `Single`s are the same, one by one.
    public func XCTAssertEqual<Element: Equatable>(
        _ lhs: [SingleEvent<Element>], _ rhs: [SingleEvent<Element>], file: StaticString = #filePath,
        line: UInt = #line
    ) {
        let same = lhs.count == rhs.count && zip(lhs, rhs).allSatisfy { $0 == $1 }
        XCTAssertTrue(same, "\(lhs) is not equal to \(rhs).", file: file, line: line)
    }

    /// Asserts that the stream sent these elements, whenever that was; its end is not looked at, but a failure is one.
    public func XCTAssertRecordedElements<Element: Equatable>(
        _ stream: [Recorded<Event<Element>>], _ elements: [Element], file: StaticString = #filePath,
        line: UInt = #line
    ) {
        if let error = stream.lazy.compactMap(\.value.error).first {
            return XCTFail("The stream failed with \(error).", file: file, line: line)
        }
        XCTAssertEqual(stream.compactMap(\.value.element), elements, file: file, line: line)
    }
#endif
