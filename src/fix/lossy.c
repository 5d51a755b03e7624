#include "fix/lossy.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/cpu.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/thread.h"
#include "fix/fix_png.h"
#include "fix/mend.h"
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

static void *measure_candidates(void *arg)
{
	struct measuring *m = arg;
	struct fix_png_memory *memory = fix_png_memory_new();
	struct input in;
	size_t i;

	input_init(&in);
	while (!stop_signal() && (i = atomic_fetch_add(&m->next, 1)) < m->count) {
		struct candidate *c = &m->v[i];
		const struct fix_file *file = &m->plan->set->files[c->file];

		fault_clear(&c->fault);
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
		c->file = i;
		c->recodings = plan->files[i].recodings;
		if (file->encoding == MASK_COLOURS)
			plan->files[i].recodings |= 1 << RECODE_COLOURS;
		else if (file->encoding == MASK_REPLICATED)
			plan->files[i].recodings |= 1 << RECODE_ONE_CHANNEL;
		for (size_t k = 0; k < file->ids_count; k++)
			c->pixels += set->ids[file->ids_at + k].labels;
		plan->files[i].mends = true;
		plan->files[i].interpolated = interpolated && file->encoding != MASK_COLOURS;
		m.count++;
	}
	measure_all(&m, options->jobs ? options->jobs : cpu_usable_cores());
	for (size_t i = 0; i < m.count; i++)
		settle(plan, &m.v[i], options->fix.max_changed ? options->fix.max_changed : MAX_CHANGED_USUAL);
	free(m.v);
}
