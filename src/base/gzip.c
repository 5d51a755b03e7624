#include "base/gzip.h"

#include <zlib.h>

#include "base/mem.h"

size_t gzip_head(const uint8_t *packed, size_t n, uint8_t *out, size_t room)
{
	/* zlib does not write through next_in, which is not const only where it is built so */
	z_stream z = { .next_in = (Bytef *)(uintptr_t)packed,
		       .avail_in = (uInt)n,
		       .next_out = out,
		       .avail_out = (uInt)room,
		       .zalloc = zlib_alloc,
		       .zfree = zlib_free };

	if (inflateInit2(&z, GZIP_WINDOW) != Z_OK)
		return 0;
	/* what it gives before it fails or runs out of bytes is what there is to see */
	inflate(&z, Z_SYNC_FLUSH);
	inflateEnd(&z);
	return room - z.avail_out;
}
