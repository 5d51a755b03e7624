/* Follows the chunks of a PNG in a stream of bytes. */
#include "png/chunks.h"

#include <string.h>
#include <zlib.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "png/loaders.h"

static void enter(struct chunk_walk *w, enum walk_state state)
{
	w->state = state;
	w->got = 0;
}

static void begin_chunk(struct chunk_walk *w)
{
	w->now.offset = w->at - 8;
	w->now.length = be32(w->small);
	w->now.type = be32(w->small + 4);
	w->crc = (uint32_t)crc32(0, w->small + 4, 4);
	switch (w->now.type) {
	case PNG_TYPE_IHDR:
		w->ihdr_seen = true;
		break;
	case PNG_TYPE_PLTE:
		w->plte_seen = true;
		w->plte_length = w->now.length;
		break;
	case PNG_TYPE_IDAT:
		w->idat_seen = true;
		break;
	case PNG_TYPE_IEND:
		w->iend_seen = true;
		break;
	case PNG_TYPE_ACTL:
		w->actl_before_idat = w->actl_before_idat || !w->idat_seen;
		break;
	default:
		break;
	}
	if (w->loaders)
		loaders_begin_chunk(w->loaders, &w->now);
	if (w->now.length > PNG_LENGTH_MAX)
		enter(w, WALK_LOST);
	else
		enter(w, w->now.length ? WALK_DATA : WALK_CRC);
}

static void add_data(struct chunk_walk *w, const uint8_t *bytes, uint32_t n)
{
	w->crc = (uint32_t)crc32(w->crc, bytes, n);
	if (w->loaders)
		loaders_add(w->loaders, bytes, n);
	if (w->now.type == PNG_TYPE_IDAT)
		w->idat_bytes += n;
	if (w->now.type == PNG_TYPE_IHDR && w->got < PNG_IHDR_BYTES)
		memcpy(w->ihdr + w->got, bytes, MIN(n, PNG_IHDR_BYTES - w->got));
}

void chunk_walk_feed(struct chunk_walk *w, const uint8_t *bytes, size_t n)
{
	while (n) {
		uint32_t whole = w->state == WALK_DATA   ? w->now.length
				 : w->state == WALK_CRC  ? 4
				 : w->state == WALK_LOST ? UINT32_MAX
							 : 8;
		uint32_t take = (uint32_t)MIN(n, (size_t)(whole - w->got));

		if (w->state == WALK_DATA)
			add_data(w, bytes, take);
		else if (w->state == WALK_HEADER || w->state == WALK_CRC)
			memcpy(w->small + w->got, bytes, take);
		w->at += take;
		bytes += take;
		n -= take;
		if (w->state == WALK_LOST)
			continue;
		w->got += take;
		if (w->got < whole)
			continue;
		switch (w->state) {
		case WALK_SIGNATURE:
			enter(w, WALK_HEADER);
			break;
		case WALK_HEADER:
			begin_chunk(w);
			break;
		case WALK_DATA:
			enter(w, WALK_CRC);
			break;
		case WALK_CRC:
			w->crc_found = be32(w->small);
			w->chunks++;
			if (w->loaders)
				loaders_end_chunk(w->loaders, w->crc == w->crc_found);
			enter(w, WALK_HEADER);
			break;
		case WALK_LOST:
			break;
		}
	}
}

bool chunk_walk_crc_wrong(const struct chunk_walk *w)
{
	return w->state == WALK_HEADER && w->got == 0 && w->chunks > 0 && w->crc != w->crc_found;
}
