/// Finds the word that a user probably meant.
package enum Spelling {
    /// Returns the most similar word; nil if none is similar.
    package static func closest(to text: String, in words: [String]) -> String? {
        let folded = Array(text.lowercased().utf8.prefix(64))
        let limit = max(1, folded.count / 3)
        // A long common beginning also shows what was meant, as “password” for “password-file”.
        if folded.count > 3, let word = words.first(where: { $0.utf8.starts(with: folded) }) { return word }
        let distances = words.map { (word: $0, distance: distance(folded, Array($0.lowercased().utf8))) }
        return distances.filter { $0.distance <= limit }.min { $0.distance < $1.distance }?.word
    }

    /// Returns how many bytes must be inserted, removed, replaced or swapped with a neighbour to get another text.
    private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for (row, byte) in one.enumerated() {
            var current = [row + 1]
            for (column, otherByte) in other.enumerated() {
                var cost = min(
                    last[column + 1] + 1, current[column] + 1, last[column] + (byte == otherByte ? 0 : 1))
                if row > 0, column > 0, byte == other[column - 1], one[row - 1] == otherByte {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count]
    }
}
