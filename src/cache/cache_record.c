#include "cache/cache_record.h"

#include <libdeflate.h>
#include <string.h>

#include "base/mem.h"

/*
 * Appends values to `out`, or reads them if it is NULL: the functions below describe the record once for both. After
 * `failed`, all values read are 0.
 */
struct codec {
	struct strbuf *out;
	const uint8_t *at, *end; /* the bytes that are left to read */
	bool failed;
};

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

static int64_t take_number(struct codec *c)
{
	uint64_t u = 0;

	for (unsigned shift = 0; shift < 64 && c->at < c->end; shift += 7) {
		uint8_t byte = *c->at++;

		u |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return (int64_t)(u >> 1 ^ (u & 1 ? UINT64_MAX : 0));
	}
	c->failed = true;
	return 0;
}

/* Returns the number in the record: v if it is written, and anything if it is read. */
static int64_t code_number(struct codec *c, int64_t v)
{
	if (!c->out)
		return take_number(c);
	add_number(c->out, v);
	return v;
}

/* The same for a number from 0 to max. */
static uint64_t code_up_to(struct codec *c, uint64_t v, uint64_t max)
{
	int64_t coded = code_number(c, (int64_t)v);

	c->failed |= coded < 0 || (uint64_t)coded > max;
	return c->failed ? 0 : (uint64_t)coded;
}

/* Codes a struct as words of 64 bits. The number of zeros in a run follows the first. */
static void code_words(struct codec *c, void *words, size_t n)
{
	char *bytes = words;

	if (!c->out)
		memset(bytes, 0, n);
	for (size_t i = 0; i < n && !c->failed; i += 8) {
		size_t zeros = 1;
		int64_t word;

		memcpy(&word, bytes + i, 8);
		word = code_number(c, word);
		memcpy(bytes + i, &word, 8);
		if (word)
			continue;
		while (c->out && i + 8 * zeros < n && !memcmp(bytes + i, bytes + i + 8 * zeros, 8))
			zeros++;
		zeros = (size_t)code_up_to(c, zeros, (n - i) / 8);
		if (!zeros)
			c->failed = true;
		else
			i += 8 * (zeros - 1);
	}
}

/* size: of s, with the NUL. */
static void code_text(struct codec *c, char *s, size_t size)
{
	size_t n = (size_t)code_up_to(c, strlen(s), size - 1);

	if (c->out) {
		strbuf_add(c->out, s, n);
		return;
	}
	c->failed |= n > (size_t)(c->end - c->at);
	n = c->failed ? 0 : n;
	memcpy(s, c->at, n);
	s[n] = '\0';
	c->at += n;
}

static void code_fault(struct codec *c, struct fault *f)
{
	if (!c->out)
		fault_clear(f);
	f->kind = (enum fault_kind)code_up_to(c, f->kind, FAULT_LOSSY);
	if (f->kind == FAULT_NONE)
		return;
	f->offset = (uint64_t)code_number(c, (int64_t)f->offset);
	f->line = (uint64_t)code_number(c, (int64_t)f->line);
	f->column = (uint64_t)code_number(c, (int64_t)f->column);
	code_text(c, f->text, sizeof(f->text));
	code_text(c, f->advice, sizeof(f->advice));
}

static void code_refusal(struct codec *c, struct refusal *r)
{
	r->reason = (uint8_t)code_up_to(c, r->reason, REFUSAL_LAST);
	if (r->reason == REFUSAL_NONE)
		return;
	r->chunk = (uint32_t)code_up_to(c, r->chunk, UINT32_MAX);
	r->length = (uint32_t)code_up_to(c, r->length, UINT32_MAX);
	r->offset = (uint64_t)code_number(c, (int64_t)r->offset);
	r->value = (uint64_t)code_number(c, (int64_t)r->value);
}

static void code_png(struct codec *c, struct png_header *png)
{
	if (!c->out)
		memset(png, 0, sizeof(*png));
	png->width = (uint32_t)code_up_to(c, png->width, INT32_MAX);
	png->height = (uint32_t)code_up_to(c, png->height, INT32_MAX);
	png->bit_depth = (uint8_t)code_up_to(c, png->bit_depth, 16);
	png->colour_type = (uint8_t)code_up_to(c, png->colour_type, PNG_RGBA);
	png->interlace = (uint8_t)code_up_to(c, png->interlace, 1);
	png->channels = (uint8_t)code_up_to(c, png->channels, 4);
	png->animated = code_up_to(c, png->animated, 1);
	png->palette_entries = (uint16_t)code_up_to(c, png->palette_entries, 256);
}

/* Codes the colours of the indices in use. */
static void code_palette(struct codec *c, struct png_header *png, const uint64_t used[4])
{
	for (unsigned i = 0; i < png->palette_entries; i++)
		for (unsigned k = 0; k < 3 && used[i / 64] >> i % 64 & 1; k++)
			png->palette[i][k] = (uint8_t)code_up_to(c, png->palette[i][k], UINT8_MAX);
}

static void code_sample(struct codec *c, struct sample *sample)
{
	sample->status = (enum sample_status)code_up_to(c, sample->status, SAMPLE_FAILED);
	code_png(c, &sample->png);
	code_fault(c, &sample->fault);
	code_fault(c, &sample->warning);
	code_refusal(c, &sample->refusals.pil);
	code_refusal(c, &sample->refusals.cv2);
}

/* Codes the state of the file. Returns false if the record is of another state. */
static bool code_state(struct codec *c, const struct stat *st)
{
	const int64_t state[] = {
		(int64_t)st->st_dev,
		(int64_t)st->st_ino,
		(int64_t)st->st_size,
		(int64_t)st->st_mtim.tv_sec,
		(int64_t)st->st_mtim.tv_nsec,
		/* Tools restore mtimes (cp -p, tar, rsync), but cannot restore ctimes. */
		(int64_t)st->st_ctim.tv_sec,
		(int64_t)st->st_ctim.tv_nsec,
	};

	for (size_t i = 0; i < ARRAY_SIZE(state); i++)
		if (code_number(c, state[i]) != state[i])
			return false;
	return true;
}

void cache_record_encode(const struct stat *st, const struct sample *sample, const struct label_stats *stats,
			 const struct id_stats *ids, struct strbuf *out)
{
	_Static_assert(sizeof(struct label_stats) % 8 == 0 && sizeof(struct id_stats) % 8 == 0, "whole words");
	struct codec c = { .out = out };
	struct sample copy = *sample;
	struct label_stats plain = *stats;
	size_t begin = out->len;
	uint32_t crc = 0;

	plain.ids_at = 0; /* an index into a batch */
	strbuf_add(out, &crc, sizeof(crc));
	code_state(&c, st);
	code_sample(&c, &copy);
	if (sample->status == SAMPLE_READ) {
		code_words(&c, &plain, sizeof(plain));
		for (size_t i = 0; i < stats->ids_count; i++) {
			struct id_stats row = ids[i];

			code_words(&c, &row, sizeof(row));
		}
		code_palette(&c, &copy.png, stats->raw_used);
	}
	crc = libdeflate_crc32(0, out->s + begin + sizeof(crc), out->len - begin - sizeof(crc));
	memcpy(out->s + begin, &crc, sizeof(crc));
}

/* A sample has at most 16 bits, and colours are fewer. */
enum { PNG_IDS_MAX = 65536 };

static bool take_rows(struct codec *c, struct batch *batch, struct label_stats *stats)
{
	const size_t n = (size_t)stats->ids_count, had = batch->ids_count;
	struct id_stats *rows;

	/* Each row has at least one byte. A claim of more rows than a PNG has must not cost memory. */
	if (c->failed || stats->ids_count > (uint64_t)(c->end - c->at) || stats->ids_count > PNG_IDS_MAX)
		return false;
	rows = batch_add_ids(batch, n);
	for (size_t i = 0; i < n && !c->failed; i++)
		code_words(c, &rows[i], sizeof(rows[i]));
	stats->ids_at = had;
	if (c->failed)
		batch->ids_count = had;
	return !c->failed;
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

bool cache_record_decode(const uint8_t *bytes, size_t n, const struct stat *st, struct batch *batch,
			 struct batch_item *item, bool *damaged)
{
	struct sample *sample = &item->sample;
	const size_t had = batch->ids_count;
	uint32_t crc;

	*damaged = true;
	if (n < sizeof(crc))
		return false;
	memcpy(&crc, bytes, sizeof(crc));
	if (crc != libdeflate_crc32(0, bytes + sizeof(crc), n - sizeof(crc)))
		return false;
	struct codec c = { .at = bytes + sizeof(crc), .end = bytes + n };

	if (!code_state(&c, st)) {
		*damaged = c.failed;
		return false;
	}
	sample->format = FORMAT_PNG;
	sample->file_bytes = (uint64_t)st->st_size;
	code_sample(&c, sample);
	if (c.failed)
		return false;
	memset(&item->stats, 0, sizeof(item->stats));
	if (sample->status == SAMPLE_READ) {
		code_words(&c, &item->stats, sizeof(item->stats));
		if (!take_rows(&c, batch, &item->stats))
			return false;
		code_palette(&c, &sample->png, item->stats.raw_used);
	}
	if (c.failed || c.at != c.end) {
		batch->ids_count = had;
		return false;
	}
	*damaged = false;
	return true;
}
