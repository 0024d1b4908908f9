import DBus
import TestTraits
import Testing

@Suite struct MatchRuleTests {
    @Test func `The text of a rule has the form of AddMatch`() throws {
        let all = MatchRule(
            sender: "org.bluez", interface: "a.b", member: "C", path: "/org/bluez", includesChildren: true,
            firstArgument: "it's", firstArgumentPath: "/x")
        #expect(
            try all.text()
                == #"type='signal',sender='org.bluez',interface='a.b',member='C',path_namespace='/org/bluez',arg0='it'\''s',arg0path='/x/'"#
        )
        #expect(try MatchRule(sender: ":1.2").text() == "type='signal',sender=':1.2'")
        #expect(try MatchRule(sender: ":1.2", path: "/a").text() == "type='signal',sender=':1.2',path='/a'")
        #expect(
            try MatchRule(sender: ":1.2", firstArgumentPath: .root).text() == "type='signal',sender=':1.2',arg0path='/'"
        )
    }

    @Test func `A rule with an invalid name has no text`() {
        let bad = [
            MatchRule(sender: "bluez"), MatchRule(sender: ""), MatchRule(sender: "a.b", interface: "c"),
            MatchRule(sender: "a.b", member: "d.e"), MatchRule(sender: "a.b", member: "d',sender='x.y"),
            MatchRule(sender: "a.b", firstArgument: "\0"),
            MatchRule(sender: "a.b", firstArgument: String(repeating: "x", count: 1024)),
        ]
        for rule in bad { #expect(throws: DBusError.self) { try rule.text() } }
    }

    private func signal(_ path: ObjectPath, _ argument: Value? = nil) throws -> Message {
        try Message.signal(path: path, interface: "a.b", member: "C") { (body) throws(DBusError) in
            if let argument { try body.value(argument) }
        }
    }

    @Test(.proves(.Q24)) func `Paths match by whole elements`() throws {
        let exact = MatchRule(sender: "a.b", path: "/o/hci1")
        let tree = MatchRule(sender: "a.b", path: "/o/hci1", includesChildren: true)
        let root = MatchRule(sender: "a.b", path: .root, includesChildren: true)
        for (path, fitsExact, fitsTree): (ObjectPath, Bool, Bool) in [
            ("/o/hci1", true, true), ("/o/hci1/d", false, true), ("/o/hci10", false, false), ("/o", false, false),
            ("/o/hci10/d", false, false), ("/", false, false),
        ] {
            #expect(exact.matches(try signal(path)) == fitsExact)
            #expect(tree.matches(try signal(path)) == fitsTree)
            #expect(root.matches(try signal(path)))
        }
        #expect(!MatchRule(sender: "a.b", path: .root).matches(try signal("/a")))
    }

    @Test func `Names and first arguments match exactly`() throws {
        #expect(MatchRule(sender: "a.b", interface: "a.b", member: "C").matches(try signal("/")))
        #expect(!MatchRule(sender: "a.b", interface: "a.b.c").matches(try signal("/")))
        #expect(!MatchRule(sender: "a.b", member: "D").matches(try signal("/")))
        let text = MatchRule(sender: "a.b", firstArgument: "x")
        #expect(text.matches(try signal("/", .string("x"))))
        for other: Value? in [nil, .string("xy"), .string(""), .objectPath("/x"), .variant(.string("x"))] {
            #expect(!text.matches(try signal("/", other)))
        }
        let path = MatchRule(sender: "a.b", firstArgumentPath: "/o/hci1")
        for (argument, fits): (Value?, Bool) in [
            (.objectPath("/o/hci1/d"), true), (.string("/o/hci1/d"), true), (.objectPath("/o/hci1"), false),
            (.objectPath("/o/hci10"), false), (.byte(1), false), (nil, false),
        ] {
            #expect(path.matches(try signal("/", argument)) == fits)
        }
        #expect(MatchRule(sender: "a.b", firstArgumentPath: .root).matches(try signal("/", .objectPath("/x"))))
        let call = try Message.call(to: "a.b", path: "/", interface: "a.b", member: "C")
        #expect(!MatchRule(sender: "a.b").matches(call))
    }
}
