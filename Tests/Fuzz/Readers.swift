import DBus

/// Everything that reads a message, whatever it expects to find there.
enum Readers {
    private static let rules = [
        MatchRule(sender: "a.b", interface: "org.bluez.Device1", member: "Disconnected", path: "/org/bluez"),
        MatchRule(sender: "a.b", path: "/org/bluez", includesChildren: true, firstArgument: "org.bluez.Device1"),
        MatchRule(sender: "a.b", firstArgumentPath: "/org/bluez"),
    ]

    static func read(_ message: Message, _ ledger: Ledger) {
        for text in [
            message.path?.description, message.interface, message.member, message.sender, message.destination,
            message.signature, message.error?.description,
        ] where text?.utf8.count ?? 0 > 1 << 27 { ledger.find("a text that is longer than a message") }
        _ = (message.serial, message.replySerial, message.wantsNoReply)
        for rule in rules { _ = rule.fits(message) }
        _ = try? message.read { (body) throws(DBusError) in try body.strings() }
        _ = try? message.read { (body) throws(DBusError) in try body.bytes() }
        _ = try? message.read { (body) throws(DBusError) in
            while !body.isAtEnd { expectWrongTypesToThrow(&body, ledger) }
        }
        guard let values = try? message.read({ (body) throws(DBusError) in try body.values() }) else {
            ledger.tally.notData += 1
            return
        }
        ledger.tally.read += 1
        rewrite(values, ledger)
    }

    /// A reader of another type throws and stays where it was.
    private static func expectWrongTypesToThrow(_ body: inout MessageReader, _ ledger: Ledger) {
        let type = body.type
        var read = 0
        if (try? body.withString { $0.count }) != nil {
            read += 1
        } else if (try? body.withObjectPath { $0.count }) != nil {
            read += 1
        } else if (try? body.uint32()) != nil {
            read += 1
        } else if (try? body.descriptor().number) != nil {
            read += 1
        } else if (try? body.properties { _, value in _ = value.type }) != nil {
            read += 1
        } else if (try? body.array { element in _ = element.type }) != nil {
            read += 1
        } else if (try? body.structure { (inner) throws(DBusError) in _ = try inner.values().count }) != nil {
            read += 1
        } else if (try? body.variant { $0.type }) != nil {
            read += 1
        }
        if read == 0 {
            if body.type != type { ledger.find("a reader that threw has moved") }
            body.skip()
        }
    }

    /// What was read can be written, and is the same then.
    private static func rewrite(_ values: [Value], _ ledger: Ledger) {
        do throws(DBusError) {
            let copy = try Corpus.Head.reply.message(values)
            let again = try copy.read { (body) throws(DBusError) in try body.values() }
            // Not equal where a number is not a number.
            if again != values, "\(again)" != "\(values)" { ledger.find("a body that reads differently: \(values)") }
        } catch {
            ledger.find("a body that can be read and not written: \(error)")
        }
    }
}
