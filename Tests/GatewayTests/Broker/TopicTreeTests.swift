import Testing

@testable import Gateway

@Suite struct TopicTreeTests {
    private let levels = ["a", "b", "", "$s"]

    private func texts(_ words: [String], depth: Int) -> [String] {
        guard depth > 1 else { return words }
        let shorter = texts(words, depth: depth - 1)
        return words + shorter.flatMap { text in words.map { "\(text)/\($0)" } }
    }

    @Test func `The tree finds the same filters and topics as a comparison of each`() {
        let topics = texts(levels, depth: 3)
        let filters = texts(["a", "", "+", "#", "$s"], depth: 3).filter { TopicFilter($0) != nil }
        let filterTree = TopicTree<String>()
        for filter in filters { filterTree[filter] = filter }
        let topicTree = TopicTree<String>()
        for topic in topics { topicTree[topic] = topic }
        for topic in topics {
            let expected = filters.filter { TopicFilter($0)?.matches(topic) == true }
            #expect(Set(filterTree.filters(matching: topic)) == Set(expected), "\(topic)")
        }
        for filter in filters {
            let expected = topics.filter { TopicFilter(filter)?.matches($0) == true }
            #expect(Set(topicTree.topics(matching: filter)) == Set(expected), "\(filter)")
        }
    }

    @Test func `A removed value is not found`() {
        let tree = TopicTree<Int>()
        tree["a/b"] = 1
        tree["a/b"] = nil
        #expect(tree.topics(matching: "#").isEmpty && tree["a/b"] == nil && tree["a"] == nil)
    }
}
