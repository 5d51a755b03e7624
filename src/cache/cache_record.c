#include "cache/cache_record.h"

#include <libdeflate.h>
#include <string.h>

#include "base/guard.h"
#include "base/mem.h"
#include "cache/cache_plausible.h"

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static void add_number(struct strbuf *out, int64_t v)
{
	uint64_t u = (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
	uint8_t bytes[10];
	size_t n = 0;

	for (; u >= 0x80; u >>= 7)
		bytes[n++] = (uint8_t)(u | 0x80);
	bytes[n++] = (uint8_t)u;
	strbuf_add(out, bytes, n);
}

struct reader {
	const uint8_t *at, *end;
	bool failed;
	bool no_palette; /* it failed because its palette is unknown */
};

static int64_t take_number(struct reader *r)
{
	uint64_t u = 0;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		if (r->at == r->end)
			break;
		uint8_t byte = *r->at++;

		u |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return (int64_t)(u >> 1 ^ (u & 1 ? UINT64_MAX : 0));
	}
	r->failed = true;
	return 0;
}

/* Reads a number from 0 to max. */
static uint64_t take_up_to(struct reader *r, uint64_t max)
{
	int64_t v = take_number(r);

	if (v < 0 || (uint64_t)v > max)
		r->failed = true;
	return r->failed ? 0 : (uint64_t)v;
}

/* ---- structs as words ------------------------------------------------------------------------------------------- */

static void add_zeros(struct strbuf *out, size_t zeros)
{
	if (zeros) {
		add_number(out, 0);
		add_number(out, (int64_t)zeros);
	}
}

static void add_words(struct strbuf *out, const void *bytes, size_t n)
{
	size_t zeros = 0;

	for (size_t i = 0; i < n; i += 8) {
		int64_t word;

		memcpy(&word, (const char *)bytes + i, 8);
		if (!word) {
			zeros++;
			continue;
		}
		add_zeros(out, zeros);
		zeros = 0;
		add_number(out, word);
	}
	add_zeros(out, zeros);
}

static void take_words(struct reader *r, void *bytes, size_t n)
{
	memset(bytes, 0, n);
	for (size_t i = 0; i < n && !r->failed; i += 8) {
		int64_t word = take_number(r);

		if (word) {
			memcpy((char *)bytes + i, &word, 8);
			continue;
		}
		uint64_t zeros = take_up_to(r, (n - i) / 8);

		if (!zeros)
			r->failed = true;
		else
			i += 8 * (size_t)(zeros - 1);
	}
}

static void add_text(struct strbuf *out, const char *s)
{
	size_t n = strlen(s);

	add_number(out, (int64_t)n);
	strbuf_add(out, s, n);
}

/* size: of out, with the NUL. */
static void take_text(struct reader *r, char *out, size_t size)
{
	size_t n = (size_t)take_up_to(r, size - 1);

	if (n > (size_t)(r->end - r->at))
		r->failed = true;
	if (r->failed)
		n = 0;
	memcpy(out, r->at, n);
	out[n] = '\0';
	r->at += n;
}

static void add_fault(struct strbuf *out, const struct fault *f)
{
	add_number(out, f->kind);
	if (f->kind == FAULT_NONE)
		return;
	add_number(out, (int64_t)f->offset);
	add_number(out, (int64_t)f->line);
	add_number(out, (int64_t)f->column);
	add_text(out, f->text);
	add_text(out, f->advice);
}

static void take_fault(struct reader *r, struct fault *f)
{
	fault_clear(f);
	f->kind = (enum fault_kind)take_up_to(r, FAULT_LOSSY);
	if (f->kind == FAULT_NONE)
		return;
	f->offset = (uint64_t)take_number(r);
	f->line = (uint64_t)take_number(r);
	f->column = (uint64_t)take_number(r);
	take_text(r, f->text, sizeof(f->text));
	take_text(r, f->advice, sizeof(f->advice));
}

/* ---- PNG headers ------------------------------------------------------------------------------------------------ */

int64_t cache_palette_id(const uint8_t *palette)
{
	uint64_t id = (uint64_t)libdeflate_crc32(0, palette, PALETTE_BYTES) << 32 |
		      libdeflate_adler32(1, palette, PALETTE_BYTES);

	return (int64_t)(id | 1);
}

static void add_png(struct strbuf *out, const struct png_header *png)
{
	add_number(out, png->width);
	add_number(out, png->height);
	add_number(out, png->bit_depth);
	add_number(out, png->colour_type);
	add_number(out, png->interlace);
	add_number(out, png->channels);
	add_number(out, png->animated);
	add_number(out, png->palette_entries);
	add_number(out, png->palette_entries ? cache_palette_id((const uint8_t *)png->palette) : 0);
}

static void take_png(struct reader *r, const struct palette_store *palettes, struct png_header *png)
{
	memset(png, 0, sizeof(*png));
	png->width = (uint32_t)take_up_to(r, INT32_MAX);
	png->height = (uint32_t)take_up_to(r, INT32_MAX);
	png->bit_depth = (uint8_t)take_up_to(r, 16);
	png->colour_type = (uint8_t)take_up_to(r, PNG_RGBA);
	png->interlace = (uint8_t)take_up_to(r, 1);
	png->channels = (uint8_t)take_up_to(r, 4);
	png->animated = take_up_to(r, 1);
	png->palette_entries = (uint16_t)take_up_to(r, 256);
	int64_t id = take_number(r);

	if (r->failed || !id)
		return;
	const uint8_t *palette = palettes->find(palettes->context, id);

	if (palette)
		memcpy(png->palette, palette, PALETTE_BYTES);
	else
		r->no_palette = r->failed = true;
}

/* ---- the state of a file ---------------------------------------------------------------------------------------- */

enum { STATE_NUMBERS = 7 };

static void state_of(const struct stat *st, int64_t out[STATE_NUMBERS])
{
	out[0] = (int64_t)st->st_dev;
	out[1] = (int64_t)st->st_ino;
	out[2] = (int64_t)st->st_size;
	out[3] = (int64_t)st->st_mtim.tv_sec;
	out[4] = (int64_t)st->st_mtim.tv_nsec;
	/* Tools restore mtimes (cp -p, tar, rsync), but cannot restore ctimes. */
	out[5] = (int64_t)st->st_ctim.tv_sec;
	out[6] = (int64_t)st->st_ctim.tv_nsec;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

void cache_record_encode(const struct stat *st, const struct sample *sample, const struct label_stats *stats,
			 const struct id_stats *ids, struct strbuf *out)
{
	_Static_assert(sizeof(struct label_stats) % 8 == 0 && sizeof(struct id_stats) % 8 == 0, "whole words");
	struct label_stats plain = *stats;
	int64_t state[STATE_NUMBERS];
	size_t begin = out->len;
	uint32_t crc = 0;

	plain.ids_at = 0; /* an index into a batch */
	strbuf_add(out, &crc, sizeof(crc));
	state_of(st, state);
	for (size_t i = 0; i < STATE_NUMBERS; i++)
		add_number(out, state[i]);
	add_number(out, sample->status);
	add_png(out, &sample->png);
	add_fault(out, &sample->fault);
	add_fault(out, &sample->warning);
	if (sample->status == SAMPLE_READ) {
		add_words(out, &plain, sizeof(plain));
		for (size_t i = 0; i < stats->ids_count; i++)
			add_words(out, &ids[i], sizeof(ids[i]));
	}
	crc = libdeflate_crc32(0, out->s + begin + sizeof(crc), out->len - begin - sizeof(crc));
	memcpy(out->s + begin, &crc, sizeof(crc));
}

/* A sample has at most 16 bits, and colours are fewer. */
enum { PNG_IDS_MAX = 65536 };

static bool take_rows(struct reader *r, struct batch *batch, struct label_stats *stats)
{
	const size_t n = (size_t)stats->ids_count, had = batch->ids_count;
	struct id_stats *rows;

	/* Each row has at least one byte. A claim of more rows than a PNG has must not cost memory. */
	if (r->failed || stats->ids_count > (uint64_t)(r->end - r->at) || stats->ids_count > PNG_IDS_MAX)
		return false;
	rows = batch_add_ids(batch, n);
	for (size_t i = 0; i < n && !r->failed; i++)
		take_words(r, &rows[i], sizeof(rows[i]));
	stats->ids_at = had;
	if (r->failed)
		batch->ids_count = had;
	return !r->failed;
}

bool cache_record_is_storable(const struct sample *sample)
{
	switch (sample->status) {
	case SAMPLE_READ:
		return sample->fault.kind == FAULT_NONE;
	case SAMPLE_FAILED:
		return sample->fault.kind == FAULT_TRUNCATED || sample->fault.kind == FAULT_CORRUPT;
	case SAMPLE_SKIPPED:
	case SAMPLE_ARCHIVE:
		break;
	}
	return false;
}

bool cache_record_decode(const uint8_t *bytes, size_t n, const struct stat *st, const struct palette_store *palettes,
			 struct batch *batch, struct batch_item *item, bool *damaged)
{
	struct sample *sample = &item->sample;
	const size_t had = batch->ids_count;
	int64_t state[STATE_NUMBERS];
	uint32_t crc;

	*damaged = true;
	if (n < sizeof(crc))
		return false;
	memcpy(&crc, bytes, sizeof(crc));
	if (crc != libdeflate_crc32(0, bytes + sizeof(crc), n - sizeof(crc)))
		return false;
	struct reader r = { .at = bytes + sizeof(crc), .end = bytes + n };

	state_of(st, state);
	for (size_t i = 0; i < STATE_NUMBERS; i++)
		if (take_number(&r) != state[i]) {
			*damaged = r.failed;
			return false;
		}
	sample->format = FORMAT_PNG;
	sample->file_bytes = (uint64_t)st->st_size;
	sample->status = (enum sample_status)take_up_to(&r, SAMPLE_FAILED);
	take_png(&r, palettes, &sample->png);
	*damaged = !r.no_palette;
	take_fault(&r, &sample->fault);
	take_fault(&r, &sample->warning);
	if (r.failed || GUARD(impossible_status, !cache_record_is_storable(sample)))
		return false;
	memset(&item->stats, 0, sizeof(item->stats));
	if (sample->status == SAMPLE_READ) {
		take_words(&r, &item->stats, sizeof(item->stats));
		if (!take_rows(&r, batch, &item->stats))
			return false;
	}
	if (r.at != r.end ||
	    GUARD(impossible_sums,
		  sample->status == SAMPLE_READ && !cache_is_plausible(sample, &item->stats, batch->ids + had))) {
		batch->ids_count = had;
		return false;
	}
	*damaged = false;
	return true;
}
