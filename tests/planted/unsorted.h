/* For tests/planted/run: included before a file that then sorts nothing. */
#include <stdlib.h>

#define qsort(v, n, size, compare) ((void)(v), (void)(compare))
