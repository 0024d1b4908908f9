import RxBluetooth

/// The value that a command writes: a text in a format, `@FILE`, or `-` for standard input.
enum ValueArgument {
    /// Returns the bytes of an argument.
    ///
    /// - Parameters:
    ///   - format: The format of the text; nil for hexadecimal digits.
    ///   - read: Reads a file; nil means standard input.
    static func parse(
        _ text: String, _ format: ValueFormat?, read: (String?) throws(CLIError) -> [UInt8] = InputFile.read
    ) throws(CLIError) -> [UInt8] {
        let format = format ?? .hex
        let bytes: [UInt8]
        if text == "-" {
            bytes = try content(of: nil, format, read)
        } else if text.hasPrefix("@") {
            guard text.utf8.count > 1 else {
                throw CLIError(.usage, "There is no file name after “@”. Give one such as @value.bin.")
            }
            bytes = try content(of: String(text.dropFirst()), format, read)
        } else {
            bytes = try format.encode(text)
        }
        try check(bytes)
        return bytes
    }

    /// Throws if no characteristic can hold the value.
    static func check(_ bytes: [UInt8]) throws(CLIError) {
        guard bytes.count <= Characteristic.longestValue else {
            throw CLIError(
                .usage,
                "The value has \(bytes.count) bytes, but a characteristic holds at most "
                    + "\(Characteristic.longestValue). Give a shorter one.")
        }
    }

    private static func content(
        of path: String?, _ format: ValueFormat, _ read: (String?) throws(CLIError) -> [UInt8]
    ) throws(CLIError) -> [UInt8] {
        let content = try read(path)
        // A file that is empty by mistake would clear the value.
        guard !content.isEmpty, format == .raw || content != [UInt8(ascii: "\n")] else {
            throw CLIError(
                .usage,
                "\(path.map { "“\($0)”" } ?? "The standard input") is empty. For an empty value, give \"\".")
        }
        if format == .raw { return content }
        guard var text = String(validating: content, as: UTF8.self) else {
            throw CLIError(
                .usage,
                "\(path.map { "“\($0)”" } ?? "The standard input") is not text. To write its bytes, give --format raw.")
        }
        // Editors and echo(1) end a text with a line break, which does not belong to the value.
        if text.last?.isNewline == true { text.removeLast() }
        return try format.encode(text)
    }
}
