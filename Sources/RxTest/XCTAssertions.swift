#if canImport(XCTest)
    public import Rx
    import XCTest

    // `Result` gets assertions instead of an `Equatable` conformance, which only the standard library can declare.

    /// Asserts that two outcomes of a `Single` are equal. Errors are compared by their description.
    public func XCTAssertEqual<Element: Equatable>(
        _ lhs: SingleEvent<Element>, _ rhs: SingleEvent<Element>, file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertTrue(lhs == rhs, "\(lhs) is not equal to \(rhs).", file: file, line: line)
    }

    /// Asserts that two arrays of outcomes of `Single`s are equal.
    public func XCTAssertEqual<Element: Equatable>(
        _ lhs: [SingleEvent<Element>], _ rhs: [SingleEvent<Element>], file: StaticString = #filePath,
        line: UInt = #line
    ) {
        let same = lhs.count == rhs.count && zip(lhs, rhs).allSatisfy { $0 == $1 }
        XCTAssertTrue(same, "\(lhs) is not equal to \(rhs).", file: file, line: line)
    }

    /// Asserts that the stream sent these elements at any time and did not fail.
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
