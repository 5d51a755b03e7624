#include "report/selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/relative_path.h"
#include "base/sha256.h"

static bool same(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_place(const struct kept_finding *a, const struct kept_finding *b)
{
	return a->rule == b->rule && same(a->path, b->path) && same(a->member, b->member);
}

static int compare_shown(const void *pa, const void *pb)
{
	const struct selected *a = pa, *b = pb;

	if (a->finding->level != b->finding->level)
		return a->finding->level > b->finding->level ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

/* One of each rule before a second of any; then the worst first. */
static int compare_worth(const void *pa, const void *pb)
{
	const struct selected *a = pa, *b = pb;

	return a->first != b->first ? b->first - a->first : compare_shown(a, b);
}

/* Collects all findings that may be listed, the most important first. */
static void collect(struct selection *l, const struct finding_list *findings)
{
	size_t *first = xcalloc(rule_count + 1, sizeof(*first)); /* index into v, plus 1 */

	l->v = xcalloc(findings->count + 1, sizeof(*l->v));
	for (size_t i = 0; i < findings->count; i++) {
		const struct kept_finding *f = &findings->v[i];
		bool again = i && same_place(f, &findings->v[i - 1]);

		if (f->baselined)
			continue;
		size_t rule = rule_index(f->rule);
		struct selected *now = &l->v[l->count++];

		*now = (struct selected){ f, i, again && l->count > 1 ? now[-1].repeat + 1 : 0, false };
		/* findings about the dataset come last in the list; they name causes */
		if (!first[rule] || (!f->path && l->v[first[rule] - 1].finding->path))
			first[rule] = l->count;
	}
	for (size_t i = 0; i < rule_count; i++)
		if (first[i])
			l->v[first[i] - 1].first = true;
	free(first);
	qsort(l->v, l->count, sizeof(*l->v), compare_worth);
}

/* Keeps the first within the limits. */
static void cut(struct selection *l, size_t max, size_t max_a_level, size_t max_a_rule)
{
	size_t *of_rule = xcalloc(rule_count + 1, sizeof(*of_rule)), of_level[LEVEL_ERROR + 1] = { 0 }, kept = 0;

	for (size_t i = 0; i < l->count && kept < max; i++) {
		size_t rule = rule_index(l->v[i].finding->rule), level = (size_t)l->v[i].finding->level;

		if ((max_a_level && of_level[level] == max_a_level) || (max_a_rule && of_rule[rule] == max_a_rule))
			continue;
		of_level[level]++;
		of_rule[rule]++;
		l->v[kept++] = l->v[i];
	}
	l->count = kept;
	free(of_rule);
}

/* Counts the findings of each rule that are not in v. */
static void count_more(struct selection *l, const struct finding_list *findings)
{
	l->more_rules = 0;
	l->total = 0;
	memcpy(l->more, findings->by_rule, rule_count * sizeof(*l->more));
	for (size_t i = 0; i < l->count; i++)
		if (l->more[rule_index(l->v[i].finding->rule)])
			l->more[rule_index(l->v[i].finding->rule)]--;
	for (size_t i = 0; i < rule_count; i++) {
		l->more_rules += l->more[i] != 0;
		l->total += l->more[i];
	}
	l->total += l->count;
}

void selection_init(struct selection *l, const struct finding_list *findings, size_t max, size_t max_a_level,
		    size_t max_a_rule)
{
	size_t fired = 0;

	memset(l, 0, sizeof(*l));
	l->more = xcalloc(rule_count + 1, sizeof(*l->more));
	collect(l, findings);
	cut(l, SIZE_MAX, max_a_level, max_a_rule);
	count_more(l, findings);
	if (max && l->count + l->more_rules > max) {
		/* then any rule that fired may have more, an entry each */
		for (size_t i = 0; i < rule_count; i++)
			fired += findings->by_rule[i] != 0;
		cut(l, max > fired ? max - fired : 0, 0, 0);
		count_more(l, findings);
	}
	qsort(l->v, l->count, sizeof(*l->v), compare_shown);
}

void selection_release(struct selection *l)
{
	free(l->v);
	free(l->more);
	memset(l, 0, sizeof(*l));
}

void selection_add_more(const struct selection *l, size_t rule, struct strbuf *out)
{
	strbuf_add_count(out, l->more[rule], "more finding");
	strbuf_addf(out, " of this rule %s not listed here; the JSON report has more (--max-findings)",
		    l->more[rule] == 1 ? "is" : "are");
}

size_t *selection_rules(const struct finding_list *l, size_t *count)
{
	size_t *order = xcalloc(rule_count + 1, sizeof(*order));

	*count = 0;
	for (size_t i = 0; i < rule_count; i++) {
		size_t at = *count;

		if (!l->by_rule[i])
			continue;
		for (; at; at--) {
			size_t above = order[at - 1];

			if (l->rule_worst[above] > l->rule_worst[i] ||
			    (l->rule_worst[above] == l->rule_worst[i] && l->by_rule[above] >= l->by_rule[i]))
				break;
			order[at] = above;
		}
		order[at] = i;
		++*count;
	}
	return order;
}

/* Returns the path without a leading ./; never "". */
static const char *plain_path(const char *path)
{
	while (path[0] == '.' && path[1] == '/') {
		path += 2;
		while (*path == '/')
			path++;
	}
	return *path ? path : ".";
}

const char *finding_path(const struct report *r, const struct kept_finding *f)
{
	if (f && (f->path || f->example))
		return plain_path(f->path ? f->path : f->example);
	return r->root && *r->root ? plain_path(r->root) : ".";
}

bool finding_repository_path(const struct report *r, const struct kept_finding *f, struct strbuf *out)
{
	const char *path = finding_path(r, f);
	size_t start = out->len;

	if (r->repository) {
		relative_path(out, r->repository, r->current, path);
		if (!relative_path_leads_out(out->s + start))
			return true;
		out->len = start;
	}
	strbuf_adds(out, path);
	return false;
}

void finding_describe(const struct kept_finding *f, void (*add)(struct strbuf *out, const char *s), struct strbuf *out)
{
	if (f->member) {
		add(out, f->member);
		strbuf_adds(out, ": ");
	}
	add(out, f->message);
	if (f->advice) {
		strbuf_adds(out, ". What to do: ");
		add(out, f->advice);
	}
}

uint64_t finding_line(const struct kept_finding *f, uint64_t *column)
{
	const struct finding_details *d = f->details;

	*column = 0;
	if (d && d->line) {
		*column = d->column;
		return d->line;
	}
	if (d && d->has_first && d->first_kind == FIRST_LINE && d->first_y) {
		*column = d->first_x;
		return d->first_y;
	}
	return 1;
}

void finding_fingerprint(const char *rule, const char *path, const char *member, unsigned repeat,
			 char out[FINGERPRINT_SIZE])
{
	const char *const parts[] = { rule, path ? plain_path(path) : NULL, member };
	RELEASED struct strbuf number = STRBUF_INIT;
	struct sha256 sha;
	char hex[65];

	sha256_init(&sha);
	sha256_add(&sha, "labelaudit/v1", 14);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		/* with its NUL, and a byte that distinguishes NULL from "": no two lists of parts have the same bytes
		 */
		sha256_add(&sha, parts[i] ? "+" : "-", 1);
		if (parts[i])
			sha256_add(&sha, parts[i], strlen(parts[i]) + 1);
	}
	if (repeat) {
		strbuf_add_u64(&number, repeat);
		sha256_add(&sha, number.s, number.len);
	}
	sha256_hex(&sha, hex);
	memcpy(out, hex, FINGERPRINT_SIZE - 1);
	out[FINGERPRINT_SIZE - 1] = '\0';
}

void selection_identify(const struct report *r, size_t rule, const struct selected *chosen, char out[FINGERPRINT_SIZE])
{
	const struct kept_finding *f = chosen ? chosen->finding : NULL;
	RELEASED struct strbuf path = STRBUF_INIT;

	if (f && f->path)
		finding_repository_path(r, f, &path);
	finding_fingerprint(rule_table[rule]->name, path.len ? path.s : NULL, f ? f->member : "more",
			    chosen ? chosen->repeat : 0, out);
}
