/* zlib as the loaders use it. */
#include "png/loader_inflate.h"

#include <stdlib.h>

#include "base/mem.h"

static void *take_memory(void *unused, uInt count, uInt size)
{
	(void)unused;
	return xcalloc(count, size);
}

static void give_memory(void *unused, void *p)
{
	(void)unused;
	free(p);
}

void loader_inflate_begin(struct loader_inflater **i)
{
	if (*i) {
		inflateReset(&(*i)->z);
		return;
	}
	*i = xcalloc(1, sizeof(**i));
	(*i)->z.zalloc = take_memory;
	(*i)->z.zfree = give_memory;
	inflateInit(&(*i)->z);
}

void loader_inflate_free(struct loader_inflater *i)
{
	if (i)
		inflateEnd(&i->z);
	free(i);
}
