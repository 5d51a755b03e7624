#include "text_damage.h"

#include <string.h>

#include "random.h"

size_t damage_text(char *text, size_t n, uint64_t *state)
{
	static const char bytes[] = "\n\r\",; \t.0-1e9+\0\xff\xef\xbb\xbf";
	size_t at = n ? random_next64(state) % n : 0, length = n ? random_next64(state) % (n - at) : 0;

	switch (random_next64(state) % 4) {
	case 0:
		if (n)
			text[at] = bytes[random_next64(state) % (sizeof(bytes) - 1)];
		return n;
	case 1:
		if (n == TEXT_MAX)
			return n;
		memmove(text + at + 1, text + at, n - at);
		text[at] = bytes[random_next64(state) % (sizeof(bytes) - 1)];
		return n + 1;
	case 2:
		memmove(text + at, text + at + length, n - at - length);
		return n - length;
	default:
		if (n + length > TEXT_MAX)
			return n;
		memmove(text + at + length, text + at, n - at);
		return n + length;
	}
}
