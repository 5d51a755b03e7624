#include "fix/plan_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/content_hash.h"
#include "base/escape.h"
#include "base/mem.h"
#include "base/version.h"
#include "fix/saved_plan.h"
#include "report/json_writer.h"
#include "report/report_json.h"

/* Files in which an id changes, and the labels that do. */
struct extent_of_map {
	uint64_t files, labels;
};

static struct extent_of_map extent_of(const struct fix_plan *plan)
{
	struct extent_of_map e = { 0, 0 };

	for (size_t i = 0; i < plan->set->count; i++) {
		if (!plan->files[i].labels || plan->files[i].mends)
			continue;
		e.files++;
		e.labels += plan->files[i].labels;
	}
	return e;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

struct pair {
	int64_t from, to;
};

/* Returns the ids that the map changes, which the caller frees. */
static struct pair *pairs_of_map(const struct fix_plan *plan, size_t *count)
{
	const struct id_map *map = &plan->map;
	struct pair *pairs = xcalloc(map->count + 1, sizeof(*pairs));

	*count = 0;
	for (size_t i = 0; i < map->count; i++)
		if (map->v[i].to != map->v[i].id)
			pairs[(*count)++] = (struct pair){ map->v[i].id, map->v[i].to };
	return pairs;
}

/* The same of the categories that become classes. */
static struct pair *pairs_of_categories(const struct fix_plan *plan, size_t *count)
{
	struct pair *pairs = xcalloc(plan->categories_count + 1, sizeof(*pairs));

	*count = 0;
	for (size_t i = 0; i < plan->categories_count; i++) {
		const struct fix_category *c = &plan->categories[i];
		const struct mapped_id *m = id_map_find(&plan->map, c->class_id);
		int64_t to = m ? m->to : c->class_id;

		if (to != c->id)
			pairs[(*count)++] = (struct pair){ c->id, to };
	}
	return pairs;
}

/* "1 -> 0, 2 -> 1, ..., 20 -> 19"; frees the pairs. */
static void add_pairs(struct pair *pairs, size_t count, struct strbuf *out)
{
	enum { SHOWN = 12 };

	for (size_t i = 0; i < count; i++) {
		if (count > SHOWN && i + 1 == SHOWN)
			strbuf_adds(out, ", ...");
		if (count > SHOWN && i + 1 >= SHOWN && i + 1 != count)
			continue;
		strbuf_addf(out, "%s", i ? ", " : "");
		id_format(pairs[i].from, out);
		strbuf_addf(out, " -> %" PRId64, pairs[i].to);
	}
	free(pairs);
}

/* The same as data. */
static void write_pairs(struct json_writer *w, struct pair *pairs, size_t count)
{
	json_key_array(w, "mapping", JSON_INLINE);
	for (size_t i = 0; i < count; i++) {
		json_begin_array(w, JSON_INLINE);
		json_i64(w, pairs[i].from);
		json_i64(w, pairs[i].to);
		json_end(w);
	}
	json_end(w);
	free(pairs);
}

static void add_refusal(const struct plan_refusal *r, struct strbuf *out)
{
	strbuf_adds(out, "refused: ");
	escape_terminal(out, r->why.s, r->why.len);
	if (r->files) {
		strbuf_adds(out, ": ");
		strbuf_add_count(out, r->files, "file");
	}
	for (size_t i = 0; i < MIN(r->files, (uint64_t)REFUSAL_PATHS); i++) {
		strbuf_adds(out, i ? ", " : ", first ");
		escape_terminal(out, r->paths[i], strlen(r->paths[i]));
	}
	strbuf_addch(out, '\n');
}

static void add_map(const struct fix_plan *plan, struct strbuf *out)
{
	const struct id_map *map = &plan->map;
	struct extent_of_map e = extent_of(plan);
	size_t count;
	struct pair *pairs = pairs_of_map(plan, &count);

	strbuf_addf(out, "%s: %s: ", map->rule ? map->rule : "color-mask", map->method.s);
	add_pairs(pairs, count, out);
	strbuf_adds(out, "; ");
	strbuf_add_count(out, e.files, "file");
	strbuf_adds(out, ", ");
	strbuf_add_count(out, e.labels, "label");
	strbuf_addch(out, '\n');
}

void plan_text(const struct fix_plan *plan, struct strbuf *out)
{
	if (id_map_changes(&plan->map))
		add_map(plan, out);
	for (int r = 0; r < RECODINGS; r++) {
		if (!plan->recoded[r])
			continue;
		strbuf_addf(out, "%s: %s: ", recoding_rule((enum recoding)r), recoding_words((enum recoding)r));
		if (r == RECODE_CATEGORIES) {
			size_t count;
			struct pair *pairs = pairs_of_categories(plan, &count);

			add_pairs(pairs, count, out);
			strbuf_adds(out, "; ");
		}
		strbuf_add_count(out, plan->recoded[r], "file");
		strbuf_addch(out, '\n');
	}
	if (plan->files_mended) {
		strbuf_adds(out, "lossy: pixels are guessed: ");
		strbuf_add_count(out, plan->files_mended, "file");
		strbuf_adds(out, ", ");
		strbuf_add_count(out, plan->labels_mended, "pixel");
		strbuf_addf(out, "; at most %" PRIu64 ".%02" PRIu64 " %%, in ", plan->worst_share / 10000,
			    plan->worst_share / 100 % 100);
		escape_terminal(out, plan->worst->place, strlen(plan->worst->place));
		strbuf_addch(out, '\n');
	}
	for (size_t i = 0; i < plan->refusals_count; i++)
		add_refusal(&plan->refusals[i], out);
	if (!plan->files_changed) {
		strbuf_adds(out, plan->refusals_count ? "nothing can be fixed exactly\n" : "nothing to fix\n");
		return;
	}
	strbuf_addf(out, "plan: %" PRIu64 " of ", plan->files_changed);
	strbuf_add_count(out, plan->set->count, "label file");
	strbuf_adds(out, plan->files_changed == 1 ? " changes\n" : " change\n");
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void write_maps(struct json_writer *w, const struct fix_plan *plan)
{
	const struct id_map *map = &plan->map;
	struct extent_of_map e = extent_of(plan);

	json_key_array(w, "maps", JSON_BLOCK);
	if (id_map_changes(map)) {
		json_begin_object(w, JSON_INLINE);
		json_key_text(w, "kind", PLAN_MAP_OF_IDS);
		json_key_text(w, "rule", map->rule ? map->rule : "color-mask");
		json_key_text(w, "fix", "exact");
		json_key_text(w, "method", map->method.s);
		json_key_u64(w, "files", e.files);
		json_key_u64(w, "labels", e.labels);
		size_t count;
		struct pair *pairs = pairs_of_map(plan, &count);

		write_pairs(w, pairs, count);
		json_end(w);
	}
	json_end(w);
}

static void write_recodings(struct json_writer *w, const struct fix_plan *plan)
{
	json_key_array(w, "recodings", JSON_BLOCK);
	for (int r = 0; r < RECODINGS; r++) {
		if (!plan->recoded[r])
			continue;
		json_begin_object(w, JSON_INLINE);
		json_key_text(w, "rule", recoding_rule((enum recoding)r));
		json_key_text(w, "method", recoding_words((enum recoding)r));
		json_key_u64(w, "files", plan->recoded[r]);
		if (r == RECODE_CATEGORIES) {
			size_t count;
			struct pair *pairs = pairs_of_categories(plan, &count);

			write_pairs(w, pairs, count);
		}
		json_end(w);
	}
	json_end(w);
}

static void write_refusals(struct json_writer *w, const struct fix_plan *plan)
{
	json_key_array(w, "refused", JSON_BLOCK);
	for (size_t i = 0; i < plan->refusals_count; i++) {
		const struct plan_refusal *r = &plan->refusals[i];

		json_begin_object(w, JSON_INLINE);
		json_key_text(w, "why", r->why.s);
		json_key_u64(w, "files", r->files);
		json_key_array(w, "examples", JSON_INLINE);
		for (size_t k = 0; k < MIN(r->files, (uint64_t)REFUSAL_PATHS); k++)
			json_string(w, r->paths[k], strlen(r->paths[k]));
		json_ends(w, 2);
	}
	json_end(w);
}

/* Writes an archive of which members change, and these. */
static void write_archive(struct json_writer *w, const struct fix_plan *plan, const struct fix_archive *archive)
{
	uint64_t labels = 0;

	for (size_t i = archive->first; i < archive->first + archive->count; i++)
		labels += plan->files[i].changes ? plan->files[i].labels : 0;
	json_begin_object(w, JSON_INLINE);
	report_json_name(w, "path", archive->path);
	json_key_u64(w, "bytes", archive->bytes);
	plan_json_hash(w, "xxh3_128", archive->hash);
	json_key_u64(w, "labels", labels);
	json_key_array(w, "members", JSON_BLOCK);
	for (size_t i = archive->first; i < archive->first + archive->count; i++) {
		if (!plan->files[i].changes)
			continue;
		json_begin_object(w, JSON_INLINE);
		report_json_name(w, "member", fix_file_member(&plan->set->files[i]));
		json_key_u64(w, "bytes", plan->set->files[i].bytes);
		json_key_u64(w, "labels", plan->files[i].labels);
		json_end(w);
	}
	json_ends(w, 2);
}

/* A plan on its way to where it goes. */
struct piece {
	struct json_writer *w;
	plan_taker *take;
	void *context;
};

enum { PIECE_BYTES = 1 << 16 };

/* Hands over what there is of the plan, if it is much. */
static bool hand_over(const struct piece *piece, size_t least)
{
	if (piece->w->out->len < least)
		return true;
	bool taken = piece->take(piece->context, piece->w->out);

	strbuf_clear(piece->w->out);
	return taken;
}

static void write_file(struct json_writer *w, const struct fix_plan *plan, size_t i)
{
	const struct fix_file *file = &plan->set->files[i];
	const struct fix_archive *archive = file->member_at ? fix_set_archive(plan->set, file->path) : NULL;

	if (archive && archive->first == i && fix_plan_changing(plan, archive))
		write_archive(w, plan, archive);
	if (!plan->files[i].changes || archive)
		return;
	json_begin_object(w, JSON_INLINE);
	report_json_name(w, "path", file->path);
	json_key_u64(w, "bytes", file->bytes);
	if (file->hashed)
		plan_json_hash(w, "xxh3_128", file->hash);
	json_key_u64(w, "labels", plan->files[i].labels);
	json_end(w);
}

void plan_json_hash(struct json_writer *w, const char *key, const uint64_t hash[2])
{
	char text[33];

	snprintf(text, sizeof(text), "%016" PRIx64 "%016" PRIx64, hash[0], hash[1]);
	json_key_text(w, key, text);
}

void plan_json_body(struct json_writer *w, const struct fix_plan *plan, const struct options *options)
{
	json_key_in_object(w, "tool", "version", LABELAUDIT_VERSION);
	report_json_settings(w, plan->set->settings);
	saved_plan_write_arguments(w, options);
	json_key_array(w, "paths", JSON_INLINE);
	for (size_t i = 0; i < options->paths.count; i++)
		json_string(w, options->paths.v[i], strlen(options->paths.v[i]));
	json_end(w);
	if (plan->set->listed->count) {
		json_key_array(w, "listed", JSON_INLINE);
		for (size_t i = 0; i < plan->set->listed->count; i++)
			json_string(w, plan->set->listed->v[i], strlen(plan->set->listed->v[i]));
		json_end(w);
	}
	write_maps(w, plan);
	write_recodings(w, plan);
	json_key_object(w, "lossy", JSON_INLINE);
	json_key_u64(w, "files", plan->files_mended);
	json_key_u64(w, "labels", plan->labels_mended);
	if (plan->worst) {
		report_json_name(w, "worst", plan->worst->place);
		json_key_u64(w, "worst_share_ppm", plan->worst_share);
	}
	json_end(w);
	write_refusals(w, plan);
	json_key_u64(w, "files_audited", plan->set->count);
	json_key_u64(w, "files_changed", plan->files_changed);
	json_key_u64(w, "labels_changed", plan->labels_changed);
}

bool plan_json(const struct fix_plan *plan, const struct options *options, plan_taker *take, void *context)
{
	struct strbuf text = STRBUF_INIT;
	struct json_writer w;
	const struct piece piece = { &w, take, context };
	bool taken = true;

	json_init(&w, &text, false);
	json_begin_object(&w, JSON_BLOCK);
	json_key_text(&w, "plan_version", "1.0");
	plan_json_body(&w, plan, options);
	json_key_array(&w, "files", JSON_BLOCK);
	for (size_t i = 0; taken && i < plan->set->count; i++) {
		write_file(&w, plan, i);
		taken = hand_over(&piece, PIECE_BYTES);
	}
	json_ends(&w, 2);
	strbuf_addch(&text, '\n');
	taken = taken && hand_over(&piece, 0);
	strbuf_release(&text);
	return taken;
}

static bool hash_piece(void *context, const struct strbuf *piece)
{
	content_hash_add(context, piece->s, piece->len);
	return true;
}

void plan_digest(const struct fix_plan *plan, const struct options *options, uint64_t digest[2])
{
	struct content_hash *hash = content_hash_new();

	plan_json(plan, options, hash_piece, hash);
	content_hash_finish(hash, digest);
}
