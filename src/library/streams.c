/*
 * For a library that other libraries are linked into, as the wheel's: its own stdin and stderr, NULL. Debian's archives
 * of libpng and bzip2 name these in functions that are never called here, in code that cannot reach those of the C
 * library from a shared object.
 */
#include <stdio.h>

#ifdef __GLIBC__
#undef stdin
#undef stdout
#undef stderr
__attribute__((visibility("hidden"))) FILE *stdin, *stdout, *stderr;
#endif
