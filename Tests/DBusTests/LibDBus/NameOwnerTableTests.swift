import Testing

@testable import DBus

/// The table of bus names and their owners that match rules use, tested without a bus.
struct NameOwnerTableTests {
    @Test func `A name has one owner for all its users, until the last one leaves`() {
        var table = NameOwnerTable()
        #expect(table["org.example"] == nil)
        let (first, isNew) = table.retain("org.example")
        let (second, isNewAgain) = table.retain("org.example")
        #expect(isNew && !isNewAgain && first === second && table["org.example"] === first)
        first.uniqueName = ":1.5"
        #expect(table["org.example"]?.uniqueName == ":1.5")
        let isLast = [table.release("org.example"), table.release("org.example"), table.release("org.example")]
        #expect(isLast == [false, true, false])
        #expect(table["org.example"] == nil)
        let (third, isNewAtLast) = table.retain("org.example")
        #expect(isNewAtLast && third.uniqueName == nil)
    }

    @Test func `Names are independent`() {
        var table = NameOwnerTable()
        table.retain("a.b").owner.uniqueName = ":1.1"
        table.retain("c.d").owner.uniqueName = ":1.2"
        let isLast = table.release("a.b")
        #expect(isLast)
        #expect(table["a.b"] == nil)
        #expect(table["c.d"]?.uniqueName == ":1.2")
    }
}
