/*
 * A baseline that is read becomes a sorted table of hashes, in which findings are looked up. One that is written is
 * kept as short pieces of its text, sorted at the end. Both go by one table of fields.
 */
#include "report/baseline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/escape.h"
#include "base/file_name.h"
#include "base/guard.h"
#include "base/lower_bound.h"
#include "base/mem.h"
#include "base/relative_path.h"
#include "base/strbuf.h"
#include "platform/platform.h"
#include "report/extent.h"
#include "report/output_file.h"
#include "report/report_json.h"
#include "report/selection.h"

/* Paths of files are at most 4 KiB on Linux, and each byte may be six of JSON. */
enum { NAME_BYTES_MAX = 64 << 10, RULE_BYTES_MAX = 64 };

enum { FORMAT_VERSION = 2 };

/* The rule is not one of this version. */
#define RULE_UNKNOWN UINT32_MAX

/* An offset of nothing: the texts and words are fewer. */
#define NONE UINT32_MAX
_Static_assert(BASELINE_TEXT_MAX < NONE, "places in the text fit");

/* ---- a finding in the file -------------------------------------------------------------------------------------- */

/* Ids or keys: all of them, or their number and digest. */
struct known_set {
	const uint64_t *v; /* sorted: keys, and ids that are written, as their bits; ids that are read, as numbers */
	size_t count;
	uint64_t total, digest; /* if they are not listed */
	uint64_t *room;         /* for EXTENT_LISTED_MAX that are read */
};

struct known {
	const char *path, *member, *rule;
	uint64_t number, count;
	enum level level;
	struct known_set ids, keys;
};

/* Writes ids, of which the negative ones are sorted last as bits. */
static void write_ids(struct json_writer *w, const void *member)
{
	const struct known_set *set = member;
	size_t negative = 0;

	while (negative < set->count && (int64_t)set->v[negative] >= 0)
		negative++;
	json_begin_array(w, JSON_INLINE);
	for (size_t i = 0; i < set->count; i++)
		json_i64(w, (int64_t)set->v[(i + negative) % set->count]);
	json_end(w);
}

static bool read_ids(struct json_values *v, void *member)
{
	struct known_set *set = member;
	int64_t id;

	for (values_array(v); values_element(v); set->room[set->count++] = (uint64_t)id) {
		if (!values_i64(v, &id))
			return false;
		if (set->count == EXTENT_LISTED_MAX)
			return values_fail(v, "more than %d ids", EXTENT_LISTED_MAX);
		if (set->count && (int64_t)set->room[set->count - 1] >= id)
			return values_fail(v, "the ids are not sorted");
	}
	set->v = set->room;
	return !v->failed;
}

static void write_keys(struct json_writer *w, const void *member)
{
	const struct known_set *set = member;
	char bytes[8 * EXTENT_LISTED_MAX];

	for (size_t i = 0; i < 8 * set->count; i++)
		bytes[i] = (char)(set->v[i / 8] >> (56 - i % 8 * 8));
	json_base64(w, bytes, 8 * set->count);
}

static bool read_keys(struct json_values *v, void *member)
{
	struct known_set *set = member;
	size_t n;

	if (v->token != JSON_STRING || (v->pull.text_flags & JSON_TEXT_CUT))
		return values_fail(v, "expected keys");
	strbuf_set(&v->text, v->pull.text, v->pull.text_len);
	n = v->text.len;
	if (!n || !unescape_base64(v->text.s, &n) || n % 8 || n / 8 > EXTENT_LISTED_MAX)
		return values_fail(v, "these are no keys");
	for (; set->count < n / 8; set->count++) {
		uint64_t key = 0;

		for (size_t i = 0; i < 8; i++)
			key = key << 8 | (uint8_t)v->text.s[8 * set->count + i];
		if (set->count && set->room[set->count - 1] >= key)
			return values_fail(v, "the keys are not sorted");
		set->room[set->count] = key;
	}
	set->v = set->room;
	return true;
}

#define UNLESS_0(member) AT(known, member), .flags = FIELD_IF_SET

static const struct field known_list[] = {
	{ "path", FIELD_PATH, AT(known, path) },
	{ "member", FIELD_PATH, UNLESS_0(member) },
	{ "number", FIELD_UINT, UNLESS_0(number) },
	{ "rule", FIELD_TEXT, AT(known, rule) },
	{ "level", FIELD_WORD, AT(known, level), .words = &level_words },
	{ "count", FIELD_UINT, AT(known, count) },
	{ "ids", FIELD_OTHER, UNLESS_0(ids.v), .write = write_ids, .read = read_ids },
	{ "ids_total", FIELD_UINT, UNLESS_0(ids.total) },
	{ "ids_digest", FIELD_HEX, UNLESS_0(ids.digest) },
	{ "keys", FIELD_OTHER, UNLESS_0(keys.v), .write = write_keys, .read = read_keys },
	{ "keys_total", FIELD_UINT, UNLESS_0(keys.total) },
	{ "keys_digest", FIELD_HEX, UNLESS_0(keys.digest) },
};
static const struct fields known_fields = FIELDS(known_list);

enum { EXTENT_AT = 4 }; /* the first field of what a finding reaches */
static const struct fields name_fields = { .v = known_list, .count = EXTENT_AT };
static const struct fields extent_fields = { .v = known_list + EXTENT_AT, .count = ARRAY_SIZE(known_list) - EXTENT_AT };

struct baseline_entry {
	uint64_t hash[2]; /* the finding's fingerprint (report/selection.h) */
	uint64_t count;
	uint32_t sets; /* where they begin in `words`, as extent_of_words() reads them, or NONE */
	uint32_t rule; /* in rule_table, or RULE_UNKNOWN */
	uint8_t level; /* enum level */
	bool occurred; /* and known no more */
};

/* Where the paths of a baseline begin. */
struct baseline_place {
	char *folder, *current; /* absolute: of the file, of this process; owned */
};

struct baseline {
	struct baseline_place place;
	struct baseline_entry *v; /* sorted by hash; owned */
	size_t count, cap;
	uint64_t *words; /* of all extents; owned */
	size_t words_count, words_cap;
	struct strbuf path; /* of the finding that is looked up */
};

/* ---- the table -------------------------------------------------------------------------------------------------- */

/* Fails if the folder of the file does not exist. */
static enum status baseline_place_find(struct baseline_place *p, const char *file, struct error *err)
{
	FREED char *folder = path_folder(file);

	p->folder = realpath(folder, NULL);
	p->current = realpath(".", NULL);
	enum status status = p->folder ? STATUS_OK : error_set_errno(err, errno, "%s", folder);

	if (!p->current)
		p->current = xstrdup("/");
	return status;
}

static void baseline_place_release(struct baseline_place *p)
{
	free(p->folder);
	free(p->current);
	p->folder = p->current = NULL;
}

/* Appends a path as the file has it; standard input (-) has none. */
static void baseline_place_add(const struct baseline_place *p, const char *path, struct strbuf *out)
{
	if (!strcmp(path, "-"))
		strbuf_adds(out, path);
	else
		relative_path(out, p->folder, p->current, path);
}

static int compare_hashes(const struct baseline_entry *a, const struct baseline_entry *b)
{
	for (size_t i = 0; i < 2; i++)
		if (a->hash[i] != b->hash[i])
			return a->hash[i] < b->hash[i] ? -1 : 1;
	return 0;
}

/* Entries of one hash are sorted by count, so that the first that covers a finding is the closest. */
static int compare_entries(const void *pa, const void *pb)
{
	const struct baseline_entry *a = pa, *b = pb;
	int order = compare_hashes(a, b);

	if (!order)
		order = (a->count > b->count) - (a->count < b->count);
	return order ? order : (a->sets > b->sets) - (a->sets < b->sets);
}

static void make_hash(const char *rule, const char *path, const char *member, uint64_t hash[2])
{
	char hex[FINGERPRINT_SIZE];

	finding_fingerprint(rule, path, member, 0, hex);
	hash[0] = hash[1] = 0;
	for (size_t i = 0; i < FINGERPRINT_SIZE - 1; i++)
		hash[i / 16] = hash[i / 16] << 4 | (uint64_t)ascii_xdigit_value(hex[i]);
}

static struct extent entry_extent(const struct baseline *b, const struct baseline_entry *e)
{
	return extent_of_words((enum level)e->level, e->count, e->sets == NONE ? NULL : b->words + e->sets);
}

static bool hash_is_below(const void *entry, const void *wanted)
{
	return compare_hashes(entry, wanted) < 0;
}

bool baseline_knows(struct baseline *b, const struct finding *f, const char *path, const char *member, uint64_t percent)
{
	struct baseline_entry wanted;
	struct extent_lists lists;
	struct extent now = extent_of(f, &lists);

	if (path) {
		strbuf_clear(&b->path);
		baseline_place_add(&b->place, path, &b->path);
		path = b->path.s;
	}
	make_hash(f->rule->name, path, member, wanted.hash);
	for (size_t i = lower_bound(&wanted, b->v, 0, b->count, sizeof(*b->v), hash_is_below);
	     i < b->count && !compare_hashes(&b->v[i], &wanted); i++) {
		struct baseline_entry *e = &b->v[i];
		struct extent known = entry_extent(b, e);

		if (GUARD(known_only_once, e->occurred) || !extent_covers(&known, &now, percent))
			continue;
		e->occurred = true;
		return true;
	}
	return false;
}

uint64_t baseline_stale(const struct baseline *b, const struct settings *settings)
{
	uint64_t stale = 0;

	for (size_t i = 0; i < b->count; i++)
		if (!b->v[i].occurred &&
		    (b->v[i].rule == RULE_UNKNOWN || settings->rules.levels[b->v[i].rule] != LEVEL_OFF))
			stale++;
	return stale;
}

uint64_t baseline_digest(const struct baseline *b)
{
	uint64_t digest = FORMAT_VERSION;

	for (size_t i = 0; i < b->count; i++) {
		const struct baseline_entry *e = &b->v[i];
		struct extent extent = entry_extent(b, e);

		digest = key_of_numbers(digest ^ e->hash[0], e->count ^ e->level);
		digest = key_of_numbers(digest ^ extent.ids.digest, extent.keys.digest);
	}
	return digest;
}

void baseline_free(struct baseline *b)
{
	if (!b)
		return;
	free(b->v);
	free(b->words);
	strbuf_release(&b->path);
	baseline_place_release(&b->place);
	free(b);
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

static void add_word(struct baseline *b, uint64_t word)
{
	GROW(b->words, b->words_cap, b->words_count + 1);
	b->words[b->words_count++] = word;
}

/* Keeps the ids and keys of a finding. */
static bool keep_sets(struct json_values *v, struct baseline *b, struct known *k, uint32_t *at)
{
	struct known_set *sets[] = { &k->ids, &k->keys };

	*at = NONE;
	if (!k->ids.count && !k->ids.total && !k->keys.count && !k->keys.total)
		return true;
	if (b->words_count + EXTENT_WORDS + k->ids.count + k->keys.count > BASELINE_TEXT_MAX / sizeof(*b->words))
		return values_fail(v, "more than %d MiB of ids and keys", BASELINE_TEXT_MAX >> 20);
	*at = (uint32_t)b->words_count;
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		bool listed = sets[i]->count > 0;

		if (!listed && sets[i]->total && sets[i]->total <= EXTENT_LISTED_MAX)
			return values_fail(v, "so few ids or keys are listed");
		add_word(b, listed ? sets[i]->count : sets[i]->total);
		add_word(b, sets[i]->digest);
	}
	extent_sort(k->ids.room, k->ids.count); /* as their bits, not as numbers */
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		for (size_t j = 0; j < sets[i]->count; j++)
			add_word(b, sets[i]->v[j]);
	return true;
}

static bool keep_finding(struct json_values *v, struct baseline *b, struct known *k)
{
	if (!k->rule || !*k->rule || strlen(k->rule) > RULE_BYTES_MAX)
		return values_fail(v, "a finding without a rule, or with too long a name of one");
	if (k->level == LEVEL_OFF || !k->count)
		return values_fail(v, "a finding without %s", k->count ? "a level" : "a count");
	if (b->count == BASELINE_MAX)
		return values_fail(v, "more than %d findings", BASELINE_MAX);
	GROW(b->v, b->cap, b->count + 1);
	struct baseline_entry *e = &b->v[b->count++];
	const struct rule *rule = rule_find(k->rule);

	*e = (struct baseline_entry){ .count = k->count, .level = (uint8_t)k->level };
	make_hash(k->rule, k->path, k->member, e->hash);
	e->rule = rule ? (uint32_t)rule_index(rule) : RULE_UNKNOWN;
	return keep_sets(v, b, k, &e->sets);
}

struct baseline_document {
	uint64_t version;
	struct baseline *b;
	bool listed;
};

static bool check_version(struct json_values *v, void *document)
{
	return ((const struct baseline_document *)document)->version == FORMAT_VERSION ||
	       values_fail(v, "a baseline of another version; --write-baseline writes version %d", FORMAT_VERSION);
}

static bool read_findings(struct json_values *v, void *document)
{
	struct baseline_document *d = document;

	d->listed = d->version != 0;
	for (values_array(v); d->listed && values_element(v);) {
		struct extent_lists room;
		struct known k = { .ids.room = room.ids, .keys.room = room.keys };
		bool kept = fields_read(v, &known_fields, &k) && keep_finding(v, d->b, &k);

		fields_release(&known_fields, &k);
		if (!kept)
			return false;
	}
	return d->listed && !v->failed;
}

static const struct field document_list[] = {
	{ "labelaudit_baseline", FIELD_UINT, AT(baseline_document, version), .check = check_version },
	{ "findings", FIELD_OTHER, .read = read_findings },
};
static const struct fields document_fields = FIELDS(document_list);

static bool read_document(struct json_values *v, struct baseline *b)
{
	struct baseline_document d = { .b = b };
	bool read = values_next(v) && fields_read(v, &document_fields, &d);

	if (!v->failed && !d.listed)
		error_set(v->err,
			  "%s: this is not a baseline (expected labelaudit_baseline, then findings; --write-baseline "
			  "writes one)",
			  v->name);
	return read && d.listed && values_next(v);
}

/* Opens a regular file: a FIFO would hang or end early, a folder cannot be read. */
static int open_file(const char *file, struct error *err)
{
	int fd = open(file, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0) {
		error_set_errno(err, errno, "--baseline %s", file);
	} else if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		error_set(err, "--baseline %s: not a regular file", file);
		close(fd);
		fd = -1;
	}
	return fd;
}

enum status baseline_read(struct baseline **out, const char *file, struct error *err)
{
	struct baseline *b;
	RELEASED struct strbuf name = STRBUF_INIT;
	struct json_values v;
	int fd = open_file(file, err);

	*out = NULL;
	if (fd < 0)
		return STATUS_FAILED;
	b = xcalloc(1, sizeof(*b));
	strbuf_init(&b->path);
	strbuf_addf(&name, "--baseline %s", file);
	values_open(&v, fd, name.s, err);
	v.by_line = true;
	json_set_text_max(&v.pull, NAME_BYTES_MAX);
	if (baseline_place_find(&b->place, file, err) == STATUS_OK && read_document(&v, b)) {
		if (b->count)
			qsort(b->v, b->count, sizeof(*b->v), compare_entries);
		*out = b;
	} else {
		baseline_free(b);
	}
	values_close(&v);
	close(fd);
	return *out ? STATUS_OK : STATUS_FAILED;
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

/* Bytes of JSON that are written at a time, about. */
enum { PIECE = 64 << 10 };

struct recorded {
	uint32_t path, member; /* where they begin in `names`, NUL-terminated; or NONE */
	uint32_t extent;       /* where its text begins in `extents`, NUL-terminated */
	uint16_t rule;         /* in rule_table, which is sorted by name */
};

struct baseline_record {
	struct output_file out;
	const char *file;
	struct baseline_place place;
	struct recorded *v; /* owned */
	size_t count, cap;
	struct strbuf names, extents, path;
	uint32_t last_path; /* of the last finding: those of one file are adjacent */
	bool too_many;
};

enum status baseline_record_open(struct baseline_record **out, const char *file, struct error *err)
{
	struct baseline_record *r = xcalloc(1, sizeof(*r));

	r->file = file;
	r->last_path = NONE;
	strbuf_init(&r->names);
	strbuf_init(&r->extents);
	strbuf_init(&r->path);
	output_file_init(&r->out);
	if (output_file_open(&r->out, file, err) != STATUS_OK ||
	    baseline_place_find(&r->place, file, err) != STATUS_OK) {
		baseline_record_free(r);
		r = NULL;
	}
	*out = r;
	return r ? STATUS_OK : STATUS_FAILED;
}

void baseline_record_free(struct baseline_record *r)
{
	if (!r)
		return;
	output_file_abort(&r->out);
	strbuf_release(&r->names);
	strbuf_release(&r->extents);
	strbuf_release(&r->path);
	baseline_place_release(&r->place);
	free(r->v);
	free(r);
}

static struct known_set set_of(const struct extent_set *set)
{
	return set->v ? (struct known_set){ .v = set->v, .count = set->total }
		      : (struct known_set){ .total = set->total, .digest = set->digest };
}

/* Appends the members of what a finding reaches, and a NUL. Returns where they begin. */
static uint32_t keep_extent(struct strbuf *text, const struct finding *f)
{
	const size_t at = text->len;
	struct extent_lists lists;
	struct extent e = extent_of(f, &lists);
	struct known k = { .level = e.level, .count = e.count, .ids = set_of(&e.ids), .keys = set_of(&e.keys) };
	struct json_writer w;

	json_init(&w, text, false);
	json_begin_object(&w, JSON_INLINE); /* the text begins after its bracket */
	fields_write(&w, &extent_fields, &k);
	strbuf_addch(text, '\0');
	return (uint32_t)at + 1;
}

static uint32_t keep_name(struct baseline_record *r, const char *s)
{
	uint32_t at = (uint32_t)r->names.len;

	strbuf_add(&r->names, s, strlen(s) + 1);
	return at;
}

void baseline_record_add(struct baseline_record *r, const struct finding *f, const char *path, const char *member)
{
	strbuf_clear(&r->path);
	if (path)
		baseline_place_add(&r->place, path, &r->path);
	size_t bytes = r->path.len + 1 + (member ? strlen(member) + 1 : 0);

	r->too_many |= r->count == BASELINE_MAX || r->names.len + bytes > BASELINE_TEXT_MAX ||
		       r->extents.len > BASELINE_TEXT_MAX;
	if (r->too_many)
		return;
	if (!path)
		r->last_path = NONE;
	else if (r->last_path == NONE || strcmp(r->names.s + r->last_path, r->path.s) != 0)
		r->last_path = keep_name(r, r->path.s);
	GROW(r->v, r->cap, r->count + 1);
	r->v[r->count++] = (struct recorded){ .path = r->last_path,
					      .member = member ? keep_name(r, member) : NONE,
					      .extent = keep_extent(&r->extents, f),
					      .rule = (uint16_t)rule_index(f->rule) };
}

/* NULL where there is none. */
static const char *name_at(const struct baseline_record *r, uint32_t at)
{
	return at == NONE ? NULL : r->names.s + at;
}

static int compare_names(const struct baseline_record *r, const struct recorded *a, const struct recorded *b)
{
	const char *path_a = name_at(r, a->path), *path_b = name_at(r, b->path);
	const char *member_a = name_at(r, a->member), *member_b = name_at(r, b->member);
	int order = path_a && path_b ? strcmp(path_a, path_b) : (path_b != NULL) - (path_a != NULL);

	if (!order)
		order = member_a && member_b ? strcmp(member_a, member_b) : (member_a != NULL) - (member_b != NULL);
	return order ? order : (a->rule > b->rule) - (a->rule < b->rule);
}

static int compare_recorded(const void *pa, const void *pb, void *record)
{
	const struct baseline_record *r = record;
	const struct recorded *a = pa, *b = pb;
	int order = compare_names(r, a, b);

	return order ? order : strcmp(r->extents.s + a->extent, r->extents.s + b->extent);
}

static enum status flush(struct baseline_record *r, struct strbuf *piece, struct error *err)
{
	enum status status = output_file_write(&r->out, piece->s, piece->len, err);

	strbuf_clear(piece);
	return status;
}

enum status baseline_record_write(struct baseline_record *r, struct error *err)
{
	RELEASED struct strbuf piece = STRBUF_INIT;
	enum status status = STATUS_OK;
	struct json_writer w;
	uint64_t number = 1;

	if (r->too_many)
		return error_set(err,
				 "--write-baseline %s: more than %d findings, or more than %d MiB of paths or ids: fix "
				 "the cause of most of them, or --skip its rule",
				 r->file, BASELINE_MAX, BASELINE_TEXT_MAX >> 20);
	if (r->count)
		platform_sort(r->v, r->count, sizeof(*r->v), compare_recorded, r);
	json_init(&w, &piece, false);
	json_begin_object(&w, JSON_BLOCK);
	json_key_u64(&w, "labelaudit_baseline", FORMAT_VERSION);
	json_key_array(&w, "findings", JSON_BLOCK);
	for (size_t i = 0; status == STATUS_OK && i < r->count; i++) {
		const struct recorded *f = &r->v[i];

		number = i && !compare_names(r, f - 1, f) ? number + 1 : 1;
		json_begin_object(&w, JSON_INLINE);
		fields_write(&w, &name_fields,
			     &(struct known){ .path = name_at(r, f->path),
					      .member = name_at(r, f->member),
					      .rule = rule_table[f->rule]->name,
					      .number = number > 1 ? number : 0 });
		strbuf_addf(&piece, ", %s", r->extents.s + f->extent);
		json_end(&w);
		if (piece.len >= PIECE)
			status = flush(r, &piece, err);
	}
	json_ends(&w, 2);
	strbuf_addch(&piece, '\n');
	if (status == STATUS_OK)
		status = flush(r, &piece, err);
	return status == STATUS_OK ? output_file_commit(&r->out, err) : status;
}
