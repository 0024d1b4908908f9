import CArguments

/// The pages of the program's code in memory.
enum ProgramPages {
    // Linux maps a program in large parts, and most of what the start needs is never used again: a third of the memory.
    /// Releases the pages that only the start has needed. Only the first use has an effect.
    static let startIsReleased: Void = release_program_pages()
}
