#include "base/label_id.h"

#include <inttypes.h>
#include <string.h>

void id_format(int64_t id, struct strbuf *out)
{
	if (id_is_colour(id))
		strbuf_addf(out, "#%06" PRIx32, colour_of_id(id));
	else
		strbuf_addf(out, "%" PRId64, id);
}

bool colour_parse(const char *s, size_t n, uint32_t *colour)
{
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";

	*colour = 0;
	if (n != 7 || s[0] != '#')
		return false;
	for (size_t i = 1; i < n; i++) {
		const char *digit = s[i] ? strchr(digits, s[i]) : NULL;

		if (!digit)
			return false;
		*colour = *colour << 4 | (uint32_t)((digit - digits) % 16);
	}
	return true;
}
