import Dispatch
import Gateway
import Glibc
import ProgramSupport
import Rx
import Testing

@testable import ble_gateway

/// The lines of the gateway's log, and its limit of open files.
struct GatewayLogTests {
    @Test func `Each line begins as its reader expects`() throws {
        #expect(LogOutput(.terminal, isVerbose: false).line("a\nb", .warning) == "ble-gateway: a\\u{A}b")
        #expect(LogOutput(.journal, isVerbose: false).line("text", .warning) == "<4>text")
        let line = LogOutput(.file, isVerbose: false).line("text", .info)
        #expect(line.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ info text/) != nil, "\(line)")
    }

    @Test(.timeLimit(.minutes(5))) func `The end of the process does not wait for a log that is blocked`() {
        let reader = DispatchSemaphore(value: 0)
        let isWritten = Guarded(false)
        LogOutput.writeLast(within: .zero) {
            // If the end waits after all, the test fails and does not hang.
            _ = reader.wait(timeout: .now() + 60)
            isWritten.withLock { $0 = true }
        }
        #expect(isWritten.withLock { $0 } == false)
        reader.signal()
    }

    @Test(.timeLimit(.minutes(5))) func `The end of the process waits for a log that is not blocked`() {
        let isWritten = Guarded(false)
        LogOutput.writeLast(within: .seconds(60)) { isWritten.withLock { $0 = true } }
        #expect(isWritten.withLock { $0 } == true)
    }

    @Test func `Too few open files are one line, and a low limit is raised`() {
        var before = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #expect(unsafe getrlimit(resource, &before) == 0)
        #expect(OpenFileLimit.raise(to: 1) == nil)
        let most = Int(clamping: before.rlim_max)
        guard most < Int(Int32.max) else { return }
        let problem = OpenFileLimit.raise(to: most + 1)
        #expect(problem?.contains("and \(most + 1) are needed. Raise the limit with ulimit -n.") == true)
        #expect(unsafe setrlimit(resource, &before) == 0)
    }
}
