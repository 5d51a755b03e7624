#include "find/sample_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/hash.h"
#include "platform/platform.h"

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
	strbuf_init(&o->firsts);
}

void sample_order_release(struct sample_order *o)
{
	strbuf_release(&o->key);
	strbuf_release(&o->first_scattered);
	strbuf_release(&o->firsts);
	free(o->groups);
	hash_set_release(&o->keys);
}

static void say_key(struct strbuf *out, const struct strbuf *key)
{
	escape_terminal(out, key->s, key->len < KEY_SAID_MAX ? key->len : KEY_SAID_MAX);
}

static uint64_t hash_folder(const struct strbuf *key)
{
	const char *slash = memrchr(key->s, '/', key->len);

	return hash_bytes(hash_seed(), key->s, slash ? (size_t)(slash - key->s) : 0);
}

/* Returns the group of the current sample, a new one if needed; NULL if there are too many. */
static struct sample_group *find_group(struct sample_order *o)
{
	const uint64_t folder = hash_folder(&o->key);

	/* the last ones are the likely ones */
	for (size_t i = o->groups_count; i-- > 0;)
		if (o->groups[i].parts == o->parts && o->groups[i].folder == folder)
			return &o->groups[i];
	if (o->groups_count == SAMPLE_GROUPS_MAX)
		return NULL;
	if (!o->groups)
		o->groups = xcalloc(SAMPLE_GROUPS_MAX, sizeof(*o->groups));
	struct sample_group *g = &o->groups[o->groups_count++];

	*g = (struct sample_group){ .parts = o->parts, .folder = folder, .first = o->firsts.len };
	say_key(&o->firsts, &o->key);
	strbuf_addch(&o->firsts, '\0');
	return g;
}

/* Counts the current sample. */
static void end_sample(struct sample_order *o)
{
	if (!o->key.len)
		return;
	struct sample_group *g = find_group(o);

	if (g)
		g->samples++;
	else
		o->gave_up = true;
	o->several += (o->parts & (o->parts - 1)) != 0;
	o->samples++;
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

/* Returns the parts that all samples should have. */
static uint64_t usual_parts(const struct sample_order *o)
{
	uint64_t usual = 0;

	for (size_t i = 0; i < o->names_count; i++) {
		uint64_t have = 0;

		for (size_t k = 0; k < o->groups_count; k++)
			have += o->groups[k].parts >> i & 1 ? o->groups[k].samples : 0;
		if (have >= o->samples / 10 * USUAL_OF_TEN)
			usual |= UINT64_C(1) << i;
	}
	return usual;
}

/* Returns whether a group's folder has samples with all usual parts. */
static bool is_folder_of_samples(const struct sample_order *o, uint64_t folder, uint64_t usual)
{
	for (size_t i = 0; i < o->groups_count; i++)
		if (o->groups[i].folder == folder && (o->groups[i].parts & usual) == usual)
			return true;
	return false;
}

/* Reports the samples without part i. */
static void report_lack(const struct sample_order *o, size_t i, uint64_t usual, struct text *out)
{
	const struct sample_group *first = NULL;
	uint64_t all = 0, lack = 0;

	for (size_t k = 0; k < o->groups_count; k++) {
		const struct sample_group *g = &o->groups[k];

		if (!(g->parts & usual) || !is_folder_of_samples(o, g->folder, usual))
			continue;
		all += g->samples;
		if (g->parts >> i & 1)
			continue;
		lack += g->samples;
		first = first ? first : g;
	}
	if (lack)
		text_addf(out, "%s%" PRIu64 " of %" PRIu64 " samples %s no .%s (the first: %s)", out->len ? ", " : "",
			  lack, all, lack == 1 ? "has" : "have", o->names[i], o->firsts.s + first->first);
}

void sample_order_finish(struct sample_order *o, struct archive_facts *facts)
{
	end_sample(o);
	strbuf_clear(&o->key);
	if (o->gave_up || o->samples < SAMPLES_MIN || o->several <= o->samples / 2)
		return;
	if (o->scattered) {
		facts->samples = o->keys.count;
		facts->scattered = o->scattered;
		text_addf(&facts->first_scattered, "%s", o->first_scattered.s);
		return;
	}
	const uint64_t usual = usual_parts(o);

	for (size_t i = 0; i < o->names_count; i++)
		if (usual >> i & 1)
			report_lack(o, i, usual, &facts->incomplete);
}
