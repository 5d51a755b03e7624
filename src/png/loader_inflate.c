/* zlib as the loaders use it. */
#include "png/loader_inflate.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/zlib_inflate.h"

void loader_inflate_begin(struct loader_inflater **i)
{
	if (*i) {
		inflateReset(&(*i)->z);
		return;
	}
	*i = xcalloc(1, sizeof(**i));
	zlib_inflate_begin(&(*i)->z, INFLATE_ZLIB);
}

void loader_inflate_free(struct loader_inflater *i)
{
	if (i)
		inflateEnd(&i->z);
	free(i);
}
