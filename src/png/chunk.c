#include "png/chunk.h"

#include <stdio.h>

#include "base/ascii.h"
#include "base/bytes.h"
#include "base/mem.h"

bool chunk_type_is_valid(uint32_t type)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		if (!ascii_isalpha((uint8_t)(type >> shift)))
			return false;
	return true;
}

bool chunk_is_known_ancillary(uint32_t type)
{
	static const char known[][5] = { "bKGD", "cHRM", "eXIf", "gAMA", "hIST", "iCCP", "iTXt", "oFFs", "pCAL",
					 "pHYs", "sBIT", "sCAL", "sPLT", "sRGB", "tEXt", "tIME", "zTXt" };

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (type == be32((const uint8_t *)known[i]))
			return true;
	return false;
}

void chunk_type_name(uint32_t type, char out[PNG_CHUNK_NAME_MAX])
{
	for (int shift = 24; shift >= 0; shift -= 8) {
		unsigned c = type >> shift & 0xff;

		if (c > ' ' && c < 0x7f && c != '\\')
			*out++ = (char)c;
		else
			out += snprintf(out, 5, "\\x%02x", c);
	}
	*out = '\0';
}
