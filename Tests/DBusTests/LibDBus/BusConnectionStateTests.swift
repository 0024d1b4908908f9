import TestTraits
import Testing

@testable import DBus

/// The transitions of a connection's state, tested without a bus.
struct BusConnectionStateTests {
    private enum Event {
        case open, fail, hangUp, hangUpAuthenticated, close
    }

    /// Applies events. Returns the final phase, and the short name of the pending or final error.
    private func result(_ events: [Event]) -> String {
        var state = BusConnectionState()
        var retries = 0
        for event in events {
            switch event {
            case .open: state.open()
            case .fail: state.fail(.noReply(""))
            case .hangUp: if state.hangUp(isAuthenticated: false) == .milliseconds(100) { retries += 1 }
            case .hangUpAuthenticated: if state.hangUp(isAuthenticated: true) != nil { retries += 1 }
            case .close: _ = state.close()
            }
        }
        let retried = retries > 0 ? " retried \(retries)" : ""
        let reason = state.closeReason.map { " " + name($0) } ?? ""
        switch state.phase {
        case .opening: return "opening" + reason + retried
        case .open: return "open" + reason + retried
        case .closed(let error): return "closed " + name(error) + reason + retried
        }
    }

    private func name(_ error: DBusError) -> String {
        String(error.name.dropFirst("org.freedesktop.DBus.Error.".count))
    }

    @Test func `A connection closes at the end of a turn, for its first reason`() {
        #expect(result([]) == "opening")
        #expect(result([.close]) == "opening")
        #expect(result([.open]) == "open")
        #expect(result([.fail]) == "opening NoReply")
        #expect(result([.open, .fail]) == "open NoReply")
        #expect(result([.open, .fail, .hangUpAuthenticated]) == "open NoReply")
        #expect(result([.open, .hangUpAuthenticated, .fail]) == "open Disconnected")
        #expect(result([.open, .fail, .close]) == "closed NoReply")
        #expect(result([.fail, .close]) == "closed NoReply")
    }

    @Test func `A closed connection stays closed`() {
        #expect(result([.open, .fail, .close, .fail]) == "closed NoReply")
        #expect(result([.fail, .close, .hangUp]) == "closed NoReply")
        #expect(result([.fail, .close, .hangUpAuthenticated, .close]) == "closed NoReply")
    }

    @Test(.proves(.Q16)) func `Only the first hang-up before authentication is retried, after 0.1 s`() {
        #expect(result([.hangUp]) == "opening retried 1")
        #expect(result([.hangUp, .open]) == "open retried 1")
        #expect(result([.hangUp, .hangUp]) == "opening AuthFailed retried 1")
        #expect(result([.hangUp, .hangUp, .close]) == "closed AuthFailed retried 1")
        #expect(result([.hangUp, .hangUpAuthenticated]) == "opening Disconnected retried 1")
        #expect(result([.hangUpAuthenticated]) == "opening Disconnected")
        #expect(result([.open, .hangUp]) == "open Disconnected")
    }

    @Test func `Connecting continues only while the connection opens without a reason to close`() {
        var state = BusConnectionState()
        #expect(state.mayConnect)
        state.fail(.noReply(""))
        #expect(!state.mayConnect)
        let reason = state.close()
        #expect(reason == .noReply(""))
        #expect(!state.mayConnect && state.isClosed)
        let again = state.close()
        #expect(again == nil)
    }
}
