import Dispatch
import Rx
import RxTest
import Testing

/// The lines that `debug` prints, read from the standard output of a separate process.
@Suite struct DebugTests {
    /// Checks the format of the time in each line, and returns the lines without the time.
    func lines(_ output: [UInt8]?) -> [String] {
        let all = String(decoding: output ?? [], as: UTF8.self).split(separator: "\n")
        for line in all {
            let shape = line.prefix(25).map { $0.isNumber ? "0" : $0 }
            #expect(String(shape) == "0000-00-00 00:00:00.000: ")
        }
        return all.map { String($0.dropFirst("2025-01-31 12:00:00.000: ".count)) }
    }

    @Test func printsEventsSubscriptionAndDisposal() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            _ = Observable.of(1, 2).debug("of").subscribe()
            _ = Observable<Int>.error(TestError.first).debug("error").subscribe()
            Observable<Int>.never().debug("never").subscribe().dispose()
        }
        #expect(
            lines(result?.standardOutputContent) == [
                "of -> subscribed", "of -> Event next(1)", "of -> Event next(2)", "of -> Event completed",
                "of -> isDisposed",
                "error -> subscribed", "error -> Event error(first)", "error -> isDisposed",
                "never -> subscribed", "never -> isDisposed",
            ])
    }

    @Test func printsThePlaceOfTheCallAndTrims() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let long = String(repeating: "0123456789", count: 6)
            _ = Observable.just(long).debug(trimOutput: true, file: "a/b/File.swift", line: 7, function: "f()")
                .subscribe()
            _ = Observable.just(long).debug("whole").take(1).subscribe()
        }
        #expect(
            lines(result?.standardOutputContent) == [
                "File.swift:7 (f()) -> subscribed",
                "File.swift:7 (f()) -> Event next(012345678901234...1234567890123456789)",
                "File.swift:7 (f()) -> Event completed", "File.swift:7 (f()) -> isDisposed",
                "whole -> subscribed", "whole -> Event next(\(String(repeating: "0123456789", count: 6)))",
                "whole -> isDisposed",
            ])
    }

    @Test func debugDoesNotChangeTheStream() async {
        await #expect(processExitsWith: .success) {
            check(usual, gives: Array(usual.dropFirst()), lives: (200, 300)) { stream, _ in stream.debug() }
            check(failing, gives: Array(failing.dropFirst()), lives: (200, 225)) { stream, _ in stream.debug() }
            check(usual, disposed: 215, gives: [.next(210, 1)], lives: (200, 215)) { stream, _ in stream.debug() }
        }
    }
}
