import DBus

/// Reads a message with all readers of the library, whatever type of message they expect.
enum ReaderChecks {
    private static let rules = [
        MatchRule(sender: "a.b", interface: "org.bluez.Device1", member: "Disconnected", path: "/org/bluez"),
        MatchRule(sender: "a.b", path: "/org/bluez", includesChildren: true, firstArgument: "org.bluez.Device1"),
        MatchRule(sender: "a.b", firstArgumentPath: "/org/bluez"),
    ]

    static func read(_ message: Message, _ recorder: TallyLog) {
        for text in [
            message.path?.description, message.interface, message.member, message.sender, message.destination,
            message.signature, message.error?.description,
        ] where text?.utf8.count ?? 0 > 1 << 27 { recorder.find("a text longer than a message") }
        _ = (message.serial, message.replySerial, message.noReplyExpected)
        for rule in rules { _ = rule.matches(message) }
        _ = try? message.read { (body) throws(DBusError) in try body.strings() }
        _ = try? message.read { (body) throws(DBusError) in try body.bytes() }
        _ = try? message.read { (body) throws(DBusError) in
            while !body.isAtEnd { expectWrongTypesToThrow(&body, recorder) }
        }
        guard let values = try? message.read({ (body) throws(DBusError) in try body.values() }) else {
            recorder.tally.notData += 1
            return
        }
        recorder.tally.read += 1
        rewrite(values, recorder)
    }

    /// Checks that a reader of a wrong type throws and does not move.
    private static func expectWrongTypesToThrow(_ body: inout MessageReader, _ recorder: TallyLog) {
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
            if body.type != type { recorder.find("a reader that threw and moved") }
            body.skip()
        }
    }

    /// Checks that values can be written, and that reading them again returns equal values.
    private static func rewrite(_ values: [Value], _ recorder: TallyLog) {
        do throws(DBusError) {
            let copy = try Corpus.Head.reply.message(values)
            let again = try copy.read { (body) throws(DBusError) in try body.values() }
            // Compares the texts too, because NaN is not equal to itself.
            if again != values, "\(again)" != "\(values)" { recorder.find("a body that reads differently: \(values)") }
        } catch {
            recorder.find("a body that can be read but not written: \(error)")
        }
    }
}
