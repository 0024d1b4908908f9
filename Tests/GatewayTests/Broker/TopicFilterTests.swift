import Gateway
import Testing

@Suite struct TopicFilterTests {
    @Test(arguments: [
        ("a/b", "a/b", true), ("a/b", "a/b/c", false), ("a/+", "a/b", true), ("a/+", "a", false),
        ("a/+", "a/b/c", false), ("a/#", "a", true), ("a/#", "a/b/c", true), ("#", "a/b", true), ("+/b", "/b", true),
        ("a/+/c", "a//c", true), ("#", "$SYS/uptime", false), ("+/uptime", "$SYS/uptime", false),
        ("$SYS/#", "$SYS/uptime", true), ("a/b", "A/b", false),
    ])
    func `A filter matches as MQTT specifies`(_ filter: String, _ topic: String, _ expected: Bool) throws {
        #expect(try #require(TopicFilter(filter)).matches(topic) == expected)
    }

    @Test(arguments: ["", "a/#/b", "a#", "a/b+", "+a", "##"])
    func `An invalid filter is refused`(_ filter: String) { #expect(TopicFilter(filter) == nil) }
}
