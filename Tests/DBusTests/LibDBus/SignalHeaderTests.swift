import TestTraits
import Testing

@testable import DBus

/// The comparisons of header fields with match rules.
struct SignalHeaderTests {
    @Test func `A key of a signal name can be equal only for names of one length and beginning`() {
        let changed = MemberKey(of: "PropertiesChanged")
        #expect(MemberKey(of: "PropertiesChanged").mayEqual(changed))
        #expect(MemberKey(of: nil).mayEqual(changed))
        for name in ["PropertiesChange", "InterfacesRemoved", "P", "Disconnected"] {
            #expect(!MemberKey(of: name).mayEqual(changed))
        }
    }

    @Test(.proves(.Q24)) func `A path contains itself and whole elements below it`() {
        for (rule, path, exact, below): (String, String, Bool, Bool) in [
            ("/o/hci1", "/o/hci1", true, true), ("/o/hci1", "/o/hci1/d", false, true),
            ("/o/hci1", "/o/hci10", false, false), ("/o/hci1", "/o", false, false), ("/", "/", true, true),
            ("/", "/a", false, true),
        ] {
            let text = CText(rule)
            let isExact = unsafe path.withCString { unsafe text.containsPath(WireText($0), orBelow: false) }
            let isBelow = unsafe path.withCString { unsafe text.containsPath(WireText($0), orBelow: true) }
            let isEqual = unsafe path.withCString { unsafe text.equals(WireText($0)) }
            #expect(isExact == exact && isBelow == below && isEqual == (rule == path))
        }
        let matchesNothing = CText("/").equals(WireText()) || CText("/").containsPath(WireText(), orBelow: true)
        #expect(!matchesNothing)
    }
}
