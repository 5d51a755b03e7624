/* zlib as the loaders use it. */
#include "png/loader_inflate.h"

#include <stdlib.h>

#include "base/inflate.h"
#include "base/mem.h"

void loader_inflate_begin(struct loader_inflater **i)
{
	if (*i) {
		inflateReset(&(*i)->z);
		return;
	}
	*i = xcalloc(1, sizeof(**i));
	inflate_begin(&(*i)->z, INFLATE_ZLIB);
}

void loader_inflate_free(struct loader_inflater *i)
{
	if (i)
		inflateEnd(&i->z);
	free(i);
}
