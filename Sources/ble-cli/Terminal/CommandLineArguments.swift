import CArguments

/// The command line's arguments. Without /proc, `CommandLine.arguments` is empty, so a C function reads them.
enum CommandLineArguments {
    /// Without the program's name.
    static let all: [String] = {
        guard arguments_count() > 0, let list = unsafe arguments_list() else {
            return Array(CommandLine.arguments.dropFirst())
        }
        return (1..<max(1, Int(arguments_count()))).compactMap {
            unsafe list[$0].map { unsafe String(cString: $0) }
        }
    }()
}
