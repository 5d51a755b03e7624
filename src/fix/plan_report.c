#include "fix/plan_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/lower_bound.h"
#include "base/mem.h"
#include "base/version.h"
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
		if (!plan->files[i].labels)
			continue;
		e.files++;
		e.labels += plan->files[i].labels;
	}
	return e;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

/* Returns the ids that the map changes, which the caller frees. */
static struct id_pair *pairs_of_map(const struct fix_plan *plan, size_t *count)
{
	const struct id_map *map = &plan->decision->map;
	struct id_pair *pairs = xcalloc(map->count + 1, sizeof(*pairs));

	*count = 0;
	for (size_t i = 0; i < map->count; i++)
		if (map->v[i].to != map->v[i].id)
			pairs[(*count)++] = (struct id_pair){ map->v[i].id, map->v[i].to };
	return pairs;
}

/* The same of the categories that become classes: one map for all files. */
static struct id_pair *pairs_of_categories(const struct fix_plan *plan, size_t *count)
{
	struct id_pair *pairs = NULL;
	size_t cap = 0, n = 0;

	*count = 0;
	for (size_t i = 0; i < plan->set->count; i++) {
		const struct fix_file *file = &plan->set->files[i];

		for (size_t k = 0; k < file->categories_count; k++) {
			const struct fix_category *c = &file->categories[k];
			int64_t to = fix_plan_category(plan, file, c);

			GROW(pairs, cap, *count + 1);
			if (to != c->id)
				pairs[(*count)++] = (struct id_pair){ c->id, to };
		}
	}
	if (*count)
		qsort(pairs, *count, sizeof(*pairs), compare_int64);
	for (size_t i = 0; i < *count; i++)
		if (!n || pairs[n - 1].from != pairs[i].from)
			pairs[n++] = pairs[i];
	*count = n;
	return pairs;
}

/* "1 -> 0, 2 -> 1, ..., 20 -> 19"; frees the pairs. */
static void add_pairs(struct id_pair *pairs, size_t count, struct strbuf *out)
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
static void write_pairs(struct json_writer *w, struct id_pair *pairs, size_t count)
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
	const struct id_map *map = &plan->decision->map;
	struct extent_of_map e = extent_of(plan);
	size_t count;
	struct id_pair *pairs = pairs_of_map(plan, &count);

	strbuf_addf(out, "%s: %s: ", map->rule ? map->rule : "color-mask", map->method.s);
	add_pairs(pairs, count, out);
	strbuf_adds(out, "; ");
	strbuf_add_count(out, e.files, "file");
	strbuf_adds(out, ", ");
	strbuf_add_count(out, e.labels, "label");
	strbuf_addch(out, '\n');
}

static void add_boxes(uint64_t n, struct strbuf *out)
{
	strbuf_add_grouped(out, n);
	strbuf_addf(out, " box%s\n", n == 1 ? "" : "es");
}

/* Says how much what is declared guesses, or changes in boxes. */
static void add_declared(const struct fix_plan *plan, struct strbuf *out)
{
	if (plan->decision->neither) {
		strbuf_adds(out, "threshold: of neither level: ");
		strbuf_add_count(out, plan->decision->neither, "pixel");
		strbuf_addch(out, '\n');
	}
	if (plan->worst) {
		strbuf_adds(out, "nearest: of no colour of the table: ");
		strbuf_add_count(out, plan->guessed, "pixel");
		strbuf_addf(out, "; at most %.0f of 442 away, in ", sqrt(plan->worst->farthest));
		escape_terminal(out, plan->worst->place, strlen(plan->worst->place));
		strbuf_addch(out, '\n');
	}
	if (plan->set->boxes.clip) {
		strbuf_adds(out, "clip: end at the edge of the image: ");
		add_boxes(plan->clipped, out);
	}
	if (plan->set->boxes.drop) {
		strbuf_adds(out, "drop no-area: are left out: ");
		add_boxes(plan->dropped, out);
	}
}

void plan_text(const struct fix_plan *plan, struct strbuf *out)
{
	if (id_map_changes(&plan->decision->map))
		add_map(plan, out);
	for (int r = 0; r < RECODINGS; r++) {
		if (!plan->recoded[r])
			continue;
		strbuf_addf(out, "%s: %s: ", recoding_rule((enum recoding)r), recoding_words((enum recoding)r));
		if (r == RECODE_CATEGORIES) {
			size_t count;
			struct id_pair *pairs = pairs_of_categories(plan, &count);

			add_pairs(pairs, count, out);
			strbuf_adds(out, "; ");
		}
		strbuf_add_count(out, plan->recoded[r], "file");
		strbuf_addch(out, '\n');
	}
	add_declared(plan, out);
	for (size_t i = 0; i < plan->refusals_count; i++)
		add_refusal(&plan->refusals[i], out);
	if (!plan->files_changed) {
		strbuf_adds(out, plan->refusals_count ? "nothing can be fixed\n" : "nothing to fix\n");
		return;
	}
	strbuf_addf(out, "plan: %" PRIu64 " of ", plan->files_changed);
	strbuf_add_count(out, plan->set->count, "label file");
	strbuf_adds(out, plan->files_changed == 1 ? " changes\n" : " change\n");
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static void write_maps(struct json_writer *w, const struct fix_plan *plan)
{
	const struct id_map *map = &plan->decision->map;
	struct extent_of_map e = extent_of(plan);

	json_key_array(w, "maps", JSON_BLOCK);
	if (id_map_changes(map)) {
		json_begin_object(w, JSON_INLINE);
		json_key_text(w, "kind", "ids");
		json_key_text(w, "rule", map->rule ? map->rule : "color-mask");
		json_key_text(w, "fix", "exact");
		json_key_text(w, "method", map->method.s);
		json_key_u64(w, "files", e.files);
		json_key_u64(w, "labels", e.labels);
		size_t count;
		struct id_pair *pairs = pairs_of_map(plan, &count);

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
			struct id_pair *pairs = pairs_of_categories(plan, &count);

			write_pairs(w, pairs, count);
		}
		json_end(w);
	}
	json_end(w);
}

static void write_declared(struct json_writer *w, const struct fix_plan *plan)
{
	json_key_object(w, "declared", JSON_INLINE);
	json_key_u64(w, "neither_level", plan->decision->neither);
	json_key_u64(w, "guessed_pixels", plan->guessed);
	json_key_u64(w, "clipped_boxes", plan->clipped);
	json_key_u64(w, "dropped_boxes", plan->dropped);
	if (plan->worst) {
		report_json_name(w, "farthest", plan->worst->place);
		json_key_u64(w, "distance", (uint64_t)sqrt(plan->worst->farthest));
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
	if (!plan->files[i].changes)
		return;
	json_begin_object(w, JSON_INLINE);
	report_json_name(w, "path", plan->set->files[i].place);
	json_key_u64(w, "labels", plan->files[i].labels);
	json_end(w);
}

void plan_json_body(struct json_writer *w, const struct fix_plan *plan, const struct options *options)
{
	json_key_in_object(w, "tool", "version", LABELAUDIT_VERSION);
	report_json_settings(w, plan->set->settings);
	json_key_array(w, "paths", JSON_INLINE);
	for (size_t i = 0; i < options->input.paths.count; i++)
		json_string(w, options->input.paths.v[i], strlen(options->input.paths.v[i]));
	json_end(w);
	write_maps(w, plan);
	write_recodings(w, plan);
	write_declared(w, plan);
	write_refusals(w, plan);
	json_key_u64(w, "files_audited", plan->set->count);
	json_key_u64(w, "files_changed", plan->files_changed);
	json_key_u64(w, "labels_changed", plan->labels_changed);
}

bool plan_json(const struct fix_plan *plan, const struct options *options, plan_taker *take, void *context)
{
	RELEASED struct strbuf text = STRBUF_INIT;
	struct json_writer w;
	const struct piece piece = { &w, take, context };
	bool taken = true;

	json_init(&w, &text, false);
	json_begin_object(&w, JSON_BLOCK);
	json_key_text(&w, "plan_version", "2.0");
	plan_json_body(&w, plan, options);
	json_key_array(&w, "files", JSON_BLOCK);
	for (size_t i = 0; taken && i < plan->set->count; i++) {
		write_file(&w, plan, i);
		taken = hand_over(&piece, PIECE_BYTES);
	}
	json_ends(&w, 2);
	strbuf_addch(&text, '\n');
	return taken && hand_over(&piece, 0);
}
