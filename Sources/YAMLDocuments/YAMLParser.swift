import CLibYAML

/// Reads YAML documents with libyaml.
@safe package struct YAMLParser: ~Copyable {
    // libyaml stores pointers into the structure, so the structure must not move.
    private let parser: UnsafeMutablePointer<yaml_parser_t>

    private init() throws(YAMLError) {
        unsafe parser = .allocate(capacity: 1)
        unsafe parser.initialize(to: yaml_parser_t())
        guard unsafe yaml_parser_initialize(parser) == 1 else {
            unsafe parser.deallocate()
            throw YAMLError(problem: "out of memory")
        }
    }

    deinit {
        unsafe yaml_parser_delete(parser)
        unsafe parser.deallocate()
    }

    /// Reads a text that contains at most one document. Returns nil if the text contains none.
    ///
    /// - Parameter maximumRepeated: The most nodes that aliases may add. A text with more is an error.
    package static func read(_ text: String, maximumRepeated: Int = 100_000) throws(YAMLError) -> YAMLNode? {
        let parser = try YAMLParser()
        let bytes = Array(text.utf8)
        return try unsafe bytes.withUnsafeBufferPointer { bytes throws(YAMLError) in
            try unsafe parser.read(bytes, YAMLTree(maximumRepeated: maximumRepeated))
        }
    }

    private borrowing func read(
        _ bytes: UnsafeBufferPointer<UInt8>, _ empty: YAMLTree
    ) throws(YAMLError) -> YAMLNode? {
        unsafe yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        // A null pointer is an error to libyaml, also for an empty text.
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return nil }
        unsafe yaml_parser_set_input_string(parser, start, bytes.count)
        var tree = empty
        while try unsafe addEvent(to: &tree, bytes) {}
        return tree.root
    }

    /// Reads the next event, and adds its node to a tree. Returns false at the end of the text.
    private borrowing func addEvent(
        to tree: inout YAMLTree, _ bytes: UnsafeBufferPointer<UInt8>
    ) throws(YAMLError) -> Bool {
        var event = unsafe yaml_event_t()
        guard unsafe yaml_parser_parse(parser, &event) == 1 else { throw unsafe error(in: bytes) }
        defer { unsafe yaml_event_delete(&event) }
        let line = unsafe event.start_mark.line + 1
        try unsafe Self.checkTag(of: event, line: line)
        switch unsafe event.type {
        case YAML_STREAM_END_EVENT: return false
        case YAML_DOCUMENT_START_EVENT where tree.root != nil:
            throw YAMLError(line: line, problem: "but found another document")
        case YAML_ALIAS_EVENT:
            try tree.addAlias(of: unsafe Self.text(event.data.alias.anchor) ?? "", line: line)
        case YAML_SCALAR_EVENT:
            let scalar = unsafe event.data.scalar
            // The text may contain NUL.
            let text = unsafe String(
                decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            try tree.add(text, line: line, anchor: unsafe Self.text(scalar.anchor))
        case YAML_SEQUENCE_START_EVENT:
            try tree.begin(isMapping: false, line: line, anchor: unsafe Self.text(event.data.sequence_start.anchor))
        case YAML_MAPPING_START_EVENT:
            try tree.begin(isMapping: true, line: line, anchor: unsafe Self.text(event.data.mapping_start.anchor))
        case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT: try tree.end()
        default: break
        }
        return true
    }

    /// Returns the error that stopped the parser.
    private borrowing func error(in bytes: UnsafeBufferPointer<UInt8>) -> YAMLError {
        guard unsafe parser.pointee.error != YAML_MEMORY_ERROR, let text = unsafe parser.pointee.problem else {
            return YAMLError(problem: "out of memory")
        }
        let problem = unsafe String(cString: text)
        guard unsafe parser.pointee.error == YAML_READER_ERROR else {
            // A quote that is not closed ends at the end of the text.
            let isQuote = unsafe Self.text(parser.pointee.context)?.contains("quoted scalar") == true
            if isQuote {
                return YAMLError(
                    line: unsafe parser.pointee.context_mark.line + 1,
                    problem: "the quote that begins here is not closed")
            }
            return YAMLError(line: unsafe parser.pointee.problem_mark.line + 1, problem: problem)
        }
        // A character that YAML does not allow has no mark, but an offset.
        let before = unsafe bytes.prefix(parser.pointee.problem_offset)
        return YAMLError(line: unsafe before.count { $0 == UInt8(ascii: "\n") } + 1, problem: problem)
    }

    /// Refuses the tags of programs, such as `!secret`. A reader that ignores them takes a name for the value.
    private static func checkTag(of event: yaml_event_t, line: Int) throws(YAMLError) {
        let tag: UnsafeMutablePointer<UInt8>? =
            switch unsafe event.type {
            case YAML_SCALAR_EVENT: unsafe event.data.scalar.tag
            case YAML_SEQUENCE_START_EVENT: unsafe event.data.sequence_start.tag
            case YAML_MAPPING_START_EVENT: unsafe event.data.mapping_start.tag
            default: nil
            }
        guard let text = unsafe text(tag), text.hasPrefix("!"), text != "!" else { return }
        throw YAMLError(
            line: line, problem: "the tag \(text) is not known",
            expected: "the value itself, or a key that names a file")
    }

    private static func text(_ pointer: UnsafePointer<UInt8>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }

    private static func text(_ pointer: UnsafePointer<CChar>?) -> String? {
        unsafe pointer.map { unsafe String(cString: $0) }
    }
}
