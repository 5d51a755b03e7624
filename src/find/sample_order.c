#include "find/sample_order.h"

#include <inttypes.h>
#include <string.h>

#include "base/escape.h"
#include "base/hash.h"

enum {
	KEYS_MAX = 1 << 20, /* 16 bytes each */
	SAMPLES_MIN = 10,   /* fewer show no habit */
	USUAL_OF_TEN = 9,   /* a part that nine of ten samples have is one that all should have */
	KEY_SAID_MAX = 128,
};

void sample_order_init(struct sample_order *o)
{
	memset(o, 0, sizeof(*o));
	strbuf_init(&o->key);
	strbuf_init(&o->first_scattered);
	strbuf_init(&o->first);
	for (size_t i = 0; i < SAMPLE_PARTS_MAX; i++)
		strbuf_init(&o->lacks[i]);
}

void sample_order_release(struct sample_order *o)
{
	strbuf_release(&o->key);
	strbuf_release(&o->first_scattered);
	strbuf_release(&o->first);
	for (size_t i = 0; i < SAMPLE_PARTS_MAX; i++)
		strbuf_release(&o->lacks[i]);
	hash_set_release(&o->keys);
}

static void say_key(struct strbuf *out, const struct strbuf *key)
{
	strbuf_clear(out);
	escape_terminal(out, key->s, key->len < KEY_SAID_MAX ? key->len : KEY_SAID_MAX);
}

/* Counts the current sample. */
static void end_sample(struct sample_order *o)
{
	if (!o->key.len)
		return;
	o->several += (o->parts & (o->parts - 1)) != 0;
	if (!o->samples++)
		say_key(&o->first, &o->key);
	for (size_t i = 0; i < o->names_count; i++) {
		if (o->parts >> i & 1)
			o->have[i]++;
		else if (!o->lacks[i].len)
			say_key(&o->lacks[i], &o->key);
	}
	o->parts = 0;
}

static void begin_sample(struct sample_order *o, const char *key, size_t len)
{
	strbuf_clear(&o->key);
	strbuf_add(&o->key, key, len);
	if (o->keys.count == KEYS_MAX) {
		o->gave_up = true;
	} else if (!hash_set_add(&o->keys, hash_bytes(hash_seed(), key, len))) {
		if (!o->scattered++)
			say_key(&o->first_scattered, &o->key);
	}
}

/* Returns the number of the part, a new one if needed, or SAMPLE_PARTS_MAX if there are too many. */
static size_t part_number(struct sample_order *o, const char *name, size_t len)
{
	size_t i = 0;

	if (len >= SAMPLE_PART_NAME)
		return SAMPLE_PARTS_MAX;
	while (i < o->names_count && (strlen(o->names[i]) != len || memcmp(o->names[i], name, len) != 0))
		i++;
	if (i == o->names_count && i < SAMPLE_PARTS_MAX) {
		memcpy(o->names[i], name, len);
		o->names_count++;
		if (o->samples) /* all samples before this one lack it */
			strbuf_add(&o->lacks[i], o->first.s, o->first.len);
	}
	return i;
}

void sample_order_add(struct sample_order *o, const char *name, size_t len)
{
	const char *slash = memrchr(name, '/', len), *file = slash ? slash + 1 : name;
	const char *dot = memchr(file, '.', len - (size_t)(file - name));
	size_t key_len = dot ? (size_t)(dot - name) : 0, part;

	if (o->gave_up || !dot || dot == file || memchr(dot, '\0', len - key_len))
		return; /* WebDataset skips such members */
	if (o->key.len != key_len || memcmp(o->key.s, name, key_len) != 0) {
		end_sample(o);
		begin_sample(o, name, key_len);
	}
	part = part_number(o, dot + 1, len - key_len - 1);
	if (part == SAMPLE_PARTS_MAX)
		o->gave_up = true;
	else
		o->parts |= UINT64_C(1) << part;
}

void sample_order_finish(struct sample_order *o, struct archive_facts *facts)
{
	end_sample(o);
	strbuf_clear(&o->key);
	if (o->gave_up || o->samples < SAMPLES_MIN || o->several <= o->samples / 2)
		return;
	if (o->scattered)
		text_addf(&facts->scattered, "%" PRIu64 " of %zu samples %s in several pieces (the first: %s)",
			  o->scattered, o->keys.count, o->scattered == 1 ? "is" : "are", o->first_scattered.s);
	for (size_t i = 0; i < o->names_count && !o->scattered; i++)
		if (o->have[i] < o->samples && o->have[i] >= o->samples / 10 * USUAL_OF_TEN)
			text_addf(&facts->incomplete, "%s%" PRIu64 " of %" PRIu64 " samples %s no .%s (the first: %s)",
				  facts->incomplete.len ? ", " : "", o->samples - o->have[i], o->samples,
				  o->samples - o->have[i] == 1 ? "has" : "have", o->names[i], o->lacks[i].s);
}
