/* Reads a baseline, one finding at a time, into a sorted table of hashes, and looks findings up in it. */
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
#include "report/extent.h"
#include "report/fields.h"
#include "report/report_json.h"
#include "report/selection.h"

/* Paths of files are at most 4 KiB on Linux, and each byte may be six of JSON. */
enum { NAME_BYTES_MAX = 64 << 10 };

/* The rule is not one of this version. */
#define RULE_UNKNOWN UINT32_MAX

#define NO_SETS UINT32_MAX

struct baseline_entry {
	uint64_t hash[2]; /* the finding's fingerprint (report/selection.h) */
	uint64_t count;
	uint32_t sets; /* where they begin in `words`, as extent_of_words() reads them, or NO_SETS */
	uint32_t rule; /* in rule_table, or RULE_UNKNOWN */
	uint8_t level; /* enum level */
	bool occurred; /* version 2: and known no more */
};

struct baseline {
	unsigned version;
	struct baseline_place place;
	struct baseline_entry *v; /* sorted by hash; owned */
	size_t count, cap;
	uint64_t *words; /* of all extents; owned */
	size_t words_count, words_cap;
	struct strbuf path; /* of the finding that is looked up */
};

/* ---- the table -------------------------------------------------------------------------------------------------- */

enum status baseline_place_find(struct baseline_place *p, const char *file, struct error *err)
{
	char *folder = path_folder(file);

	p->folder = realpath(folder, NULL);
	p->current = realpath(".", NULL);
	enum status status = p->folder ? STATUS_OK : error_set_errno(err, errno, "%s", folder);

	free(folder);
	if (!p->current)
		p->current = xstrdup("/");
	return status;
}

void baseline_place_release(struct baseline_place *p)
{
	free(p->folder);
	free(p->current);
	p->folder = p->current = NULL;
}

void baseline_place_add(const struct baseline_place *p, const char *path, struct strbuf *out)
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

/* In a file of version 1 nothing tells two findings of one name apart. */
static void finish_table(struct baseline *b)
{
	size_t kept = 0;

	if (b->count)
		qsort(b->v, b->count, sizeof(*b->v), compare_entries);
	for (size_t i = 0; i < b->count; i++)
		if (b->version > 1 || !kept || compare_hashes(&b->v[kept - 1], &b->v[i]) != 0)
			b->v[kept++] = b->v[i];
	b->count = kept;
}

static struct extent entry_extent(const struct baseline *b, const struct baseline_entry *e)
{
	return extent_of_words((enum level)e->level, e->count, e->sets == NO_SETS ? NULL : b->words + e->sets);
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

	if (path && b->version > 1) {
		strbuf_clear(&b->path);
		baseline_place_add(&b->place, path, &b->path);
		path = b->path.s;
	}
	make_hash(f->rule->name, path, member, wanted.hash);
	for (size_t i = lower_bound(&wanted, b->v, 0, b->count, sizeof(*b->v), hash_is_below);
	     i < b->count && !compare_hashes(&b->v[i], &wanted); i++) {
		struct baseline_entry *e = &b->v[i];
		struct extent known = entry_extent(b, e);

		if (b->version > 1 && (GUARD(known_only_once, e->occurred) || !extent_covers(&known, &now, percent)))
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
		    (b->v[i].rule == RULE_UNKNOWN || settings->rule_levels[b->v[i].rule] != LEVEL_OFF))
			stale++;
	return stale;
}

unsigned baseline_version(const struct baseline *b)
{
	return b->version;
}

uint64_t baseline_digest(const struct baseline *b)
{
	uint64_t digest = b->version;

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

/* The ids or keys of a finding. */
struct read_set {
	uint64_t total, digest; /* if not listed */
	uint64_t v[EXTENT_LISTED_MAX];
	size_t count;
};

/* A finding as the file has it. */
struct read_finding {
	char rule[66];
	const char *path, *member; /* owned */
	enum level level;
	uint64_t count;
	struct read_set ids, keys;
};

struct baseline_reader {
	struct baseline *b;
	struct read_finding finding; /* the current one */
	bool versioned, listed;
};

static bool read_ids(struct json_values *v, void *member)
{
	struct read_set *set = member;
	int64_t id;

	for (values_array(v); values_element(v);) {
		if (!values_i64(v, &id))
			return false;
		if (set->count == EXTENT_LISTED_MAX)
			return values_fail(v, "more than %d ids", EXTENT_LISTED_MAX);
		if (set->count && (int64_t)set->v[set->count - 1] >= id)
			return values_fail(v, "the ids are not sorted");
		set->v[set->count++] = (uint64_t)id;
	}
	return !v->failed;
}

static bool read_keys(struct json_values *v, void *member)
{
	struct read_set *set = member;
	size_t n;

	if (v->token != JSON_STRING || (v->pull.text_flags & JSON_TEXT_CUT))
		return values_fail(v, "expected keys");
	strbuf_clear(&v->text);
	strbuf_add(&v->text, v->pull.text, v->pull.text_len);
	n = v->text.len;
	if (!n || !unescape_base64(v->text.s, &n) || n % 8 || n / 8 > EXTENT_LISTED_MAX)
		return values_fail(v, "these are no keys");
	for (set->count = 0; set->count < n / 8; set->count++) {
		uint64_t key = 0;

		for (size_t i = 0; i < 8; i++)
			key = key << 8 | (uint8_t)v->text.s[8 * set->count + i];
		if (set->count && set->v[set->count - 1] >= key)
			return values_fail(v, "the keys are not sorted");
		set->v[set->count] = key;
	}
	return true;
}

static void add_word(struct baseline *b, uint64_t word)
{
	GROW(b->words, b->words_cap, b->words_count + 1);
	b->words[b->words_count++] = word;
}

/* Keeps the ids and keys of the current finding. */
static bool keep_sets(struct json_values *v, struct baseline *b, struct read_finding *f, uint32_t *at)
{
	struct read_set *sets[] = { &f->ids, &f->keys };

	*at = NO_SETS;
	if (!f->ids.count && !f->ids.total && !f->keys.count && !f->keys.total)
		return true;
	if (b->words_count + EXTENT_WORDS + f->ids.count + f->keys.count > BASELINE_TEXT_MAX / sizeof(*b->words))
		return values_fail(v, "more than %d MiB of ids and keys", BASELINE_TEXT_MAX >> 20);
	*at = (uint32_t)b->words_count;
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++) {
		bool listed = sets[i]->count > 0;

		if (!listed && sets[i]->total && sets[i]->total <= EXTENT_LISTED_MAX)
			return values_fail(v, "so few ids or keys are listed");
		add_word(b, listed ? sets[i]->count : sets[i]->total);
		add_word(b, sets[i]->digest);
	}
	extent_sort(f->ids.v, f->ids.count); /* as their bits, not as numbers */
	for (size_t i = 0; i < ARRAY_SIZE(sets); i++)
		for (size_t k = 0; k < sets[i]->count; k++)
			add_word(b, sets[i]->v[k]);
	return true;
}

static bool check_finding(struct json_values *v, const struct baseline *b, const struct read_finding *f)
{
	if (!f->rule[0] || strlen(f->rule) > 64)
		return values_fail(v, f->rule[0] ? "this is not the name of a rule" : "a finding without a rule");
	if (b->version > 1 && (f->level == LEVEL_OFF || !f->count))
		return values_fail(v, "a finding without %s", f->count ? "a level" : "a count");
	return b->count < BASELINE_MAX || values_fail(v, "more than %d findings", BASELINE_MAX);
}

static const struct field finding_list[] = {
	{ "rule", FIELD_CHARS, AT(read_finding, rule) },
	{ "path", FIELD_PATH, AT(read_finding, path) },
	{ "member", FIELD_PATH, AT(read_finding, member) },
	{ "level", FIELD_WORD, AT(read_finding, level), .words = &level_words },
	{ "count", FIELD_UINT, AT(read_finding, count) },
	{ "ids", FIELD_OTHER, AT(read_finding, ids), .read = read_ids },
	{ "ids_total", FIELD_UINT, AT(read_finding, ids.total) },
	{ "ids_digest", FIELD_HEX, AT(read_finding, ids.digest) },
	{ "keys", FIELD_OTHER, AT(read_finding, keys), .read = read_keys },
	{ "keys_total", FIELD_UINT, AT(read_finding, keys.total) },
	{ "keys_digest", FIELD_HEX, AT(read_finding, keys.digest) },
};
static const struct fields finding_fields = FIELDS(finding_list);

static bool read_finding(struct json_values *v, struct baseline *b, struct read_finding *f)
{
	const struct rule *rule;

	memset(f, 0, sizeof(*f));
	bool read = fields_read(v, &finding_fields, f) && check_finding(v, b, f);

	if (read) {
		GROW(b->v, b->cap, b->count + 1);
		struct baseline_entry *entry = &b->v[b->count++];

		*entry = (struct baseline_entry){ .count = f->count, .level = (uint8_t)f->level };
		make_hash(f->rule, f->path, f->member, entry->hash);
		rule = rule_find(f->rule);
		entry->rule = rule ? (uint32_t)rule_index(rule) : RULE_UNKNOWN;
		read = keep_sets(v, b, f, &entry->sets);
	}
	fields_release(&finding_fields, f);
	return read;
}

static bool read_findings(struct json_values *v, void *reader)
{
	struct baseline_reader *r = reader;

	r->listed = true;
	for (values_array(v); values_element(v);)
		if (!read_finding(v, r->b, &r->finding))
			return false;
	return !v->failed;
}

static bool read_version(struct json_values *v, void *context)
{
	struct baseline_reader *r = context;
	uint64_t version;

	r->versioned = true;
	if (!values_u64(v, &version))
		return false;
	if (version < 1 || version > 2)
		return values_fail(v, "a baseline of another version; this program knows versions 1 and 2");
	r->b->version = (unsigned)version;
	return true;
}

static bool is_no_baseline(struct json_values *v)
{
	if (v->failed)
		return false;
	v->failed = true;
	error_set(
		v->err,
		"%s: this is not a baseline (expected labelaudit_baseline, then findings; --write-baseline writes one)",
		v->name);
	return false;
}

static bool expect_findings(struct json_values *v, void *reader)
{
	return ((struct baseline_reader *)reader)->versioned || is_no_baseline(v);
}

static bool read_document(struct json_values *v, struct baseline_reader *r)
{
	static const struct field list[] = {
		{ "labelaudit_baseline", FIELD_OTHER, .read = read_version },
		{ "findings", FIELD_OTHER, .expect = expect_findings, .read = read_findings },
	};
	static const struct fields fields = FIELDS(list);

	return values_next(v) && fields_read(v, &fields, r) && (r->listed || is_no_baseline(v)) && values_next(v);
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
	struct baseline_reader r = { .b = NULL };
	struct strbuf name = STRBUF_INIT;
	struct json_values v;
	int fd = open_file(file, err);

	*out = NULL;
	if (fd < 0)
		return STATUS_FAILED;
	r.b = xcalloc(1, sizeof(*r.b));
	strbuf_init(&r.b->path);
	strbuf_addf(&name, "--baseline %s", file);
	values_open(&v, fd, name.s, err);
	v.by_line = true;
	json_set_text_max(&v.pull, NAME_BYTES_MAX);
	if (baseline_place_find(&r.b->place, file, err) == STATUS_OK && read_document(&v, &r)) {
		finish_table(r.b);
		*out = r.b;
	} else {
		baseline_free(r.b);
	}
	values_close(&v);
	close(fd);
	strbuf_release(&name);
	return *out ? STATUS_OK : STATUS_FAILED;
}
