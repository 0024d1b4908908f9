#pragma once

/// The number of the process's arguments, including the program's name; zero if they are unknown.
int arguments_count(void);

/// The arguments, valid until the process exits.
char *const *arguments_list(void);

/// Releases the resident pages of the program's code. The kernel maps those that are used again.
void release_program_pages(void);
