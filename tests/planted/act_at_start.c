/* For tests/planted/run: linked into the program, does at its start what a run must not do. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void act_at_start(void)
{
#if defined(START_A_PROGRAM)
	if (system("true") != 0)
		abort();
#elif defined(WRITE_A_FILE)
	FILE *f = fopen("touched", "w");

	if (f)
		fclose(f);
#elif defined(USE_THE_LOCALE)
	setlocale(LC_ALL, "");
#else
#error "no act is chosen"
#endif
}
