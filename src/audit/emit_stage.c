#include "audit/emit_stage.h"

#include <stdlib.h>
#include <string.h>

#include "audit/audit.h"
#include "base/escape.h"
#include "base/log.h"
#include "base/mem.h"
#include "judge/fix_note.h"
#include "judge/interpolation.h"
#include "read/listed_images.h"

void emit_stage_init(struct emit_stage *e)
{
	pthread_mutex_init(&e->lock, NULL);
	dataset_init(&e->dataset);
	e->names_images = e->images_flat = false;
	e->texts = xcalloc(outputs_streams(e->outputs) + 1, sizeof(*e->texts));
	for (size_t i = 0; i < outputs_streams(e->outputs); i++)
		strbuf_init(&e->texts[i]);
}

void emit_stage_release(struct emit_stage *e)
{
	for (size_t i = 0; i < outputs_streams(e->outputs); i++)
		strbuf_release(&e->texts[i]);
	free(e->texts);
	dataset_release(&e->dataset);
	pthread_mutex_destroy(&e->lock);
}

/* Adds findings to the audit's list, which also marks those of the baseline; so call it before writing them. */
static void keep_findings(struct audit_shared *shared, struct judge_stage *j, const struct sample *sample)
{
	pthread_mutex_lock(&shared->lock);
	for (size_t i = 0; i < j->count; i++)
		finding_list_add(&shared->findings, &j->findings[i], sample->path, sample->member);
	pthread_mutex_unlock(&shared->lock);
}

/* Says with --verbose why a name was left out. */
static void log_left_out(const struct sample *sample)
{
	RELEASED struct strbuf text = STRBUF_INIT;
	FREED char *place = sample_place(sample);

	strbuf_adds(&text, "labelaudit: left out: ");
	escape_terminal(&text, place, strlen(place));
	strbuf_addf(&text, " (%s%s)\n", skip_reason_name((enum skip_reason)sample->left_out.reason),
		    sample->left_out.looks_like_labels ? ", looks like labels" : "");
	log_text(text.s);
}

/* Returns the image of a label file: of a list, which was read by now, only if it is of one. */
static const struct pairing *pairing_of(const struct fetched *f, const struct sample *sample)
{
	const bool of_many = sample->format == FORMAT_LIST && !sample->list.one_image;

	return of_many && f->pairing && f->pairing->state != PAIR_SELF ? NULL : f->pairing;
}

/* Adds what a file was found to be to the sums. */
static void add_to_sums(struct emit_stage *e, const struct judge_stage *j, const struct fetched *f,
			const struct batch_item *item, const struct rule_input *input, const struct id_stats *ids)
{
	const struct sample *sample = &item->sample;
	struct dataset_stats *d = &e->dataset;
	/* from the tests, not from the findings, since the verdict on the set must not depend on the rules selected */
	bool interpolated = input->interpolation & INTERPOLATION_DAMAGED;

	e->names_images |= f->names_images || (f->pairing && !input->pairing);
	e->images_flat |= input->pairing && f->partner.flat;
	dataset_add_pairing(d, sample, input->pairing);
	if (f->image)
		dataset_add_image(d, f->image_content, sample->split, f->image);
	d->per_path_findings += j->left_out;
	d->per_path_files += j->per_path;
	if (j->has_one_channel)
		dataset_add_channel(d, &j->one_channel.input);
	if (sample->status != SAMPLE_ARCHIVE)
		dataset_add(d, e->settings, sample, &item->stats, ids, interpolated);
	fix_facts_add(&d->fix, input, item->cached ? NULL : &item->input);
}

/* Returns whether an image of a file was asked for, and could not be opened or read. */
static bool lacks_image(const struct settings *settings, const struct rule_input *input)
{
	const struct listed_images *listed = input->sample->images;

	return input->pairing ? settings->images.folder && input->pairing->fault.kind == FAULT_UNREADABLE
			      : listed && listed->declared && listed->unread;
}

void emit_file(struct emit_stage *e, struct judge_stage *j, const struct fetched *f, const struct batch_item *item,
	       const struct id_stats *ids)
{
	struct audit_shared *shared = e->shared;
	const struct sample *sample = &item->sample;
	const struct rule_input input = rule_input_of(e->settings, sample, &item->stats, ids, pairing_of(f, sample));

	if (sample->status == SAMPLE_SKIPPED)
		judge_nothing(j);
	else
		judge_file(j, &input);
	if (sample->status == SAMPLE_SKIPPED && e->names_left_out)
		log_left_out(sample);
	if (sample->fault.kind == FAULT_UNREADABLE || sample->fault.kind == FAULT_AMBIGUOUS ||
	    lacks_image(e->settings, &input))
		atomic_store(&shared->incomplete, true);
	add_to_sums(e, j, f, item, &input, ids);
	if (j->count) {
		keep_findings(shared, j, sample);
		for (size_t i = 0; i < j->count; i++)
			e->dataset.provisional_findings += j->findings[i].provisional && !j->findings[i].baselined;
		atomic_fetch_add_explicit(&shared->files_with_findings, 1, memory_order_relaxed);
	}
	for (size_t i = 0; i < outputs_streams(e->outputs); i++)
		outputs_stream(e->outputs, i)->file(&input, j->findings, j->count, &e->texts[i]);
	if (e->observer)
		e->observer->file(e->observer->self, &input, &item->input, j->findings, j->count);
	atomic_fetch_add_explicit(&shared->files_done, 1, memory_order_relaxed);
}

void emit_image(struct emit_stage *e, struct judge_stage *j, const char *path, const struct pairing *pairing)
{
	const struct label_stats stats = { 0 };
	struct sample sample = { .path = path, .status = SAMPLE_SKIPPED };

	if (pairing->state == PAIR_UNREADABLE) {
		sample.fault = pairing->fault;
		atomic_store(&e->shared->incomplete, true);
	}
	const struct rule_input input = rule_input_of(e->settings, &sample, &stats, NULL, pairing);

	judge_file(j, &input);
	e->dataset.per_path_findings += j->left_out;
	e->dataset.per_path_files += j->per_path;
	keep_findings(e->shared, j, &sample);
	for (size_t i = 0; j->count && i < outputs_streams(e->outputs); i++)
		outputs_stream(e->outputs, i)->file(&input, j->findings, j->count, &e->texts[i]);
	if (j->count && outputs_streams(e->outputs))
		emit_unit(e, e->shared->units++);
}

void emit_unit(struct emit_stage *e, uint64_t number)
{
	outputs_submit(e->outputs, number, e->texts);
}
