#pragma once

/// The number of the process's arguments, with the program's name; zero if they are not known.
int arguments_count(void);

/// The arguments, valid as long as the process.
char *const *arguments_list(void);
