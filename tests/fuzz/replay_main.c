/*
 * Stands in for libFuzzer where there is none: one fuzz target through the files of its corpus, and through each of
 * them cut short at 16 places, so that few seeds go a long way.
 *
 * usage: fuzz_<parser> FILE...     prints how many inputs were run
 */
#include "fuzz.h"

enum { CUTS = 16, INPUT_MAX = 64 << 10 };

int main(int argc, char **argv)
{
	static uint8_t data[INPUT_MAX];
	unsigned long runs = 0;

	for (int i = 1; i < argc; i++) {
		FILE *f = fopen(argv[i], "rb");

		if (!f) {
			perror(argv[i]);
			return 2;
		}
		size_t n = fread(data, 1, sizeof(data), f);

		fclose(f);
		for (size_t cut = 0; cut <= CUTS; cut++) {
			uint8_t *copy = fuzz_copy(data, n * cut / CUTS);

			LLVMFuzzerTestOneInput(copy, n * cut / CUTS);
			free(copy);
			runs++;
		}
	}
	printf("%lu inputs\n", runs);
	return runs ? 0 : 2;
}
