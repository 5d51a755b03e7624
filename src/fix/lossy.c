#include "fix/lossy.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/thread.h"
#include "fix/fix_png.h"
#include "fix/members.h"
#include "read/input.h"

/* A mask that is to be mended. */
struct candidate {
	size_t file;        /* index in the set */
	uint16_t recodings; /* that the plan had before */
	uint64_t pixels;
	struct fix_counts counts;
	struct fault fault;
};

struct measuring {
	const struct fix_plan *plan;
	struct candidate *v;
	size_t count;
	atomic_size_t next;
};

static const struct fix_file *file_of(const struct measuring *m, size_t i)
{
	return &m->plan->set->files[m->v[i].file];
}

/* Returns the candidate of a file between two, or NULL. */
static struct candidate *find_candidate(const struct measuring *m, size_t from, size_t to, const struct fix_file *file)
{
	for (size_t file_at = (size_t)(file - m->plan->set->files); from < to;) {
		size_t middle = from + (to - from) / 2;

		if (m->v[middle].file == file_at)
			return &m->v[middle];
		if (m->v[middle].file < file_at)
			from = middle + 1;
		else
			to = middle;
	}
	return NULL;
}

/* Measures the candidates of one archive, from the first on, in the archive's order. */
static void measure_archive(const struct measuring *m, size_t first, struct fix_png_memory *memory)
{
	const struct fix_set *set = m->plan->set;
	const struct fix_archive *archive = fix_set_archive(set, file_of(m, first)->path);
	struct fault fault = FAULT_INIT;
	struct members members;
	struct input in;
	size_t end = first;

	for (; end < m->count && file_of(m, end)->member_at && !strcmp(file_of(m, end)->path, archive->path); end++)
		fault_set(&m->v[end].fault, FAULT_UNREADABLE, FAULT_NO_OFFSET, "is not in its archive any more");
	input_init(&in);
	bool ok = members_open(&members, AT_FDCWD, archive->path, &set->settings->limits, &fault);

	while (ok && !stop_signal() && members_next(&members, &fault)) {
		const struct fix_file *file = fix_archive_find(set, archive, members.member.name);
		struct candidate *c = file ? find_candidate(m, first, end, file) : NULL;

		if (!c)
			continue;
		c->fault = members.member.fault;
		if (c->fault.kind == FAULT_NONE && members_open_input(&members, &in, &c->fault))
			fix_png_count_mended(memory, m->plan, file, &in, &c->counts, &c->fault);
		input_reset(&in);
	}
	members_close(&members);
	input_release(&in);
}

static void *measure_candidates(void *arg)
{
	struct measuring *m = arg;
	struct fix_png_memory *memory = fix_png_memory_new();
	struct input in;
	size_t i;

	input_init(&in);
	while (!stop_signal() && (i = atomic_fetch_add(&m->next, 1)) < m->count) {
		struct candidate *c = &m->v[i];
		const struct fix_file *file = file_of(m, i);

		if (file->member_at) { /* the thread that draws the first of an archive measures all of it */
			if (!i || !file_of(m, i - 1)->member_at || strcmp(file_of(m, i - 1)->path, file->path) != 0)
				measure_archive(m, i, memory);
			continue;
		}
		input_reset(&in);
		if (input_open(&in, AT_FDCWD, file->path, &c->fault))
			fix_png_count_mended(memory, m->plan, file, &in, &c->counts, &c->fault);
	}
	input_release(&in);
	fix_png_memory_free(memory);
	return NULL;
}

static void measure_all(struct measuring *m, unsigned jobs)
{
	pthread_t *threads = xcalloc(jobs, sizeof(*threads));
	unsigned started = 0;

	while (started + 1 < jobs && thread_start(&threads[started], measure_candidates, m))
		started++;
	measure_candidates(m);
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

/* Adds a measured candidate to the plan, or refuses it. */
static void settle(struct fix_plan *plan, const struct candidate *c, uint64_t max_changed)
{
	const struct fix_file *file = &plan->set->files[c->file];
	struct plan_file *p = &plan->files[c->file];
	uint64_t share = c->pixels ? size_mul_saturating(c->counts.mended, 1000000) / c->pixels : 0;
	struct text why;

	text_clear(&why);
	if (c->fault.kind != FAULT_NONE)
		text_addf(&why, "%s", c->fault.text);
	else if (share > max_changed)
		text_addf(&why, "more pixels would be guessed than --max-changed allows");
	if (why.len || !c->counts.mended) {
		p->mends = false;
		p->recodings = c->recodings;
		if (why.len)
			fix_plan_refuse(plan, file, why.s);
		return;
	}
	if (!plan->worst || share > plan->worst_share) {
		plan->worst = file;
		plan->worst_share = share;
	}
	for (int r = 0; r < RECODINGS; r++)
		plan->recoded[r] += (p->recodings & ~c->recodings) >> r & 1;
	plan->files_changed += !p->changes;
	plan->files_mended++;
	plan->labels_mended += c->counts.mended;
	plan->labels_changed += c->counts.labels - p->labels;
	p->labels = c->counts.labels;
	p->changes = true;
}

void fix_plan_add_lossy(struct fix_plan *plan, const struct options *options)
{
	const struct fix_set *set = plan->set;
	bool all = fix_set_has(set, "interpolated-dataset");
	struct measuring m = { .plan = plan, .v = xcalloc(set->count + 1, sizeof(*m.v)) };

	for (size_t i = 0; i < set->count && !plan->map.rule; i++) {
		const struct fix_file *file = &set->files[i];
		bool interpolated = file->interpolated || all;
		struct candidate *c = &m.v[m.count];

		if (!fix_file_is_mask(file) || (!interpolated && !fix_plan_has_invalid(plan, file)))
			continue;
		fault_clear(&c->fault);
		c->file = i;
		c->recodings = plan->files[i].recodings;
		if (file->encoding == MASK_COLOURS)
			plan->files[i].recodings |= 1 << RECODE_COLOURS;
		else if (file->encoding == MASK_REPLICATED)
			plan->files[i].recodings |= 1 << RECODE_ONE_CHANNEL;
		for (size_t k = 0; k < file->ids_count; k++)
			c->pixels += fix_file_id(set, file, k).labels;
		plan->files[i].mends = true;
		plan->files[i].interpolated = interpolated && file->encoding != MASK_COLOURS;
		m.count++;
	}
	measure_all(&m, options->jobs ? options->jobs : cpu_usable_cores());
	for (size_t i = 0; i < m.count; i++)
		settle(plan, &m.v[i], options->fix.max_changed ? options->fix.max_changed : MAX_CHANGED_USUAL);
	free(m.v);
}
