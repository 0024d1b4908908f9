import DBus
import TestTraits
import Testing

@Suite struct SyntaxTests {
    static let long = String(repeating: "a", count: 253)

    @Test(arguments: ["a.b", "org.bluez.Adapter1", "_a._1", "a.b.c", long + ".b"])
    func `Valid interface names`(_ name: String) { #expect(Syntax.isInterface(name)) }

    @Test(arguments: ["", "a", ".a.b", "a.b.", "a..b", "1a.b", "a.1b", "a-b.c", "a.b\0", "ä.b", "a b.c", long + ".bc"])
    func `Invalid interface names`(_ name: String) { #expect(!Syntax.isInterface(name)) }

    @Test(arguments: ["a", "_", "Get1", long + "aa"])
    func `Valid member names`(_ name: String) { #expect(Syntax.isMember(name)) }

    @Test(arguments: ["", "1a", "a.b", "a-b", "a\0", "é", long + "aaa"])
    func `Invalid member names`(_ name: String) { #expect(!Syntax.isMember(name)) }

    @Test(arguments: ["org.bluez", "a-b.c", "-a.b", ":1.42", ":a.-b", "a._1", long + ".b"])
    func `Valid bus names`(_ name: String) { #expect(Syntax.isBusName(name)) }

    @Test(arguments: [
        "", ":", ":1", ":\u{301}a.b", "a", "a.", ".a.b", "a..b", "1a.b", "a.1", "a b.c", ":1..2", ":1.2.", "a.b\0",
        long + ".bc",
    ])
    func `Invalid bus names`(_ name: String) { #expect(!Syntax.isBusName(name)) }

    @Test(arguments: ["/", "/a", "/_", "/0", "/org/bluez/hci0/dev_00_11"])
    func `Valid object paths`(_ path: String) {
        let made = ObjectPath(path)
        #expect(made?.description == path)
    }

    @Test(arguments: ["", "a", "//", "/a/", "/a//b", "/a-b", "/é", "/a\0", "/a b", " /a"])
    func `Invalid object paths`(_ path: String) { #expect(ObjectPath(path) == nil) }

    @Test(.proves(.Q24)) func `Object paths are compared by whole elements`() {
        let adapter: ObjectPath = "/org/bluez/hci1"
        #expect(ObjectPath("/org/bluez/hci1/dev_1").isBelow(adapter))
        #expect(!ObjectPath("/org/bluez/hci10").isBelow(adapter))
        #expect(!ObjectPath("/org/bluez/hci10/dev_1").isBelow(adapter))
        #expect(!adapter.isBelow(adapter))
        #expect(adapter.isBelow(.root))
        #expect(!ObjectPath.root.isBelow(.root))
        #expect(adapter.parent == "/org/bluez")
        #expect(ObjectPath("/a").parent == .root)
        #expect(ObjectPath.root.parent == .root)
        #expect(adapter.name == "hci1")
        #expect(ObjectPath.root.name.isEmpty)
        #expect(ObjectPath.root.appending("a") == "/a")
        #expect(adapter.appending("dev-1") == nil)
        #expect(adapter.appending("") == nil)
        #expect(adapter.appending("a/b") == nil)
    }
}
