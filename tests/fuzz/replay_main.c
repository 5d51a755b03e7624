/*
 * Stands in for libFuzzer where there is none: one fuzz target through the files of its corpus, and through each of
 * them cut short at 16 places and damaged in as many ways, so that few seeds go a long way.
 *
 * usage: fuzz_<parser> FILE...     prints how many inputs were run
 */
#include <string.h>

#include "fuzz.h"

enum { CUTS = 16, DAMAGED_MAX = 4 << 10, DAMAGES = 64, INPUT_MAX = 64 << 10 };

/* A linear congruential generator: Knuth's MMIX. */
static size_t random_below(size_t n)
{
	static uint64_t state = 20260101;

	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)(state >> 33) % n;
}

/* Changes up to eight bytes, or moves a part over another one. */
static void damage(uint8_t *data, size_t n)
{
	static const char bytes[] = "\n\r\",; \t.0-1e9+\0\xff\xef\xbb\xbf";

	for (size_t changes = 1 + random_below(8); changes; changes--) {
		const size_t at = random_below(n), from = random_below(n);

		if (random_below(4))
			data[at] = (uint8_t)bytes[random_below(sizeof(bytes))];
		else
			memmove(data + at, data + from, random_below(n - (at > from ? at : from)));
	}
}

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
		for (int k = 0; k < DAMAGES && n && n <= DAMAGED_MAX; k++, runs++) {
			uint8_t *copy = fuzz_copy(data, n);

			damage(copy, n);
			LLVMFuzzerTestOneInput(copy, n);
			free(copy);
		}
	}
	printf("%lu inputs\n", runs);
	return runs ? 0 : 2;
}
