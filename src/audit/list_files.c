/*
 * --list: the files that an audit would read, one per line, or each ended by a NUL (-0). A terminal gets them escaped.
 * A pipe or a file gets their bytes, since a script opens the files by them.
 */
#include <stdlib.h>
#include <unistd.h>

#include "audit/audit_state.h"
#include "base/clock.h"
#include "base/escape.h"
#include "base/guard.h"
#include "base/late.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/write_all.h"
#include "find/io_task.h"

enum {
	LIST_LATE_NS = 50000, /* to classify an entry; memory takes 10 us */
	LIST_LATE = 2,        /* more late ones than others: then those of a unit are classified side by side */
	LIST_AHEAD = 256,     /* entries of such a unit */
};

/* An entry of a unit, and whether an audit would read it. */
struct listed_entry {
	struct io_task task;
	const struct audit *audit;
	const struct entry *entry;
	bool begun; /* in a thread */
	bool late;  /* storage was */
	enum entry_class class;
	struct fault fault; /* of ENTRY_FAILED */
};

static void classify(struct listed_entry *e, struct folder_role *folder)
{
	const struct audit *a = e->audit;
	const struct entry *entry = e->entry;
	uint64_t since = clock_ns();
	struct entry_probe probe;

	e->class = ENTRY_SKIP;
	e->late = false;
	fault_clear(&e->fault);
	if (entry->archive || entry->skip_reason || is_audited_elsewhere(&a->fetching, entry))
		return;
	/* the walk knows why a folder could not be opened; a damaged member is listed */
	if (entry->failed && entry->fault.kind == FAULT_UNREADABLE) {
		e->class = ENTRY_FAILED;
		e->fault = entry->fault;
		return;
	}
	late_begin();
	folder_role_enter(folder, entry);
	probe_init(&probe);
	e->class = classify_entry(entry, folder, layout_of(&a->layouts, entry), &probe, &e->fault).class;
	probe_close(&probe);
	e->late = late_end(clock_ns() - since, LIST_LATE_NS);
}

static void classify_in_thread(struct io_task *task)
{
	static _Thread_local struct folder_role folder;
	static _Thread_local bool begun;

	if (!begun)
		folder_role_init(&folder);
	begun = true;
	classify((struct listed_entry *)task, &folder);
}

static void keep_task(struct io_task *task)
{
	(void)task; /* it lies in an array */
}

/* The state of a listing. */
struct lister {
	const struct audit *audit;
	struct folder_role folder;
	unsigned late; /* entries more than others */
	struct listed_entry *entries;
	size_t cap;
	bool unreadable; /* some were */
};

static bool is_late(const struct lister *l)
{
	return l->audit->find->io && l->late >= LIST_LATE;
}

/* Prepares a unit's entries, and begins to classify them if storage is late. */
static void begin_unit(struct lister *l, const struct work_unit *unit)
{
	GROW(l->entries, l->cap, unit->count);
	for (size_t i = 0; i < unit->count; i++) {
		struct listed_entry *e = &l->entries[i];

		*e = (struct listed_entry){ .audit = l->audit, .entry = &unit->entries[i] };
		e->task.work = classify_in_thread;
		e->task.release = keep_task;
		e->begun = is_late(l) && !e->entry->member && io_task_begin(l->audit->find->io, &e->task);
	}
}

/* Returns whether an audit would read the entry. Logs an error if it cannot be inspected. */
static bool would_be_read(struct lister *l, struct listed_entry *e)
{
	if (e->begun)
		io_task_wait(&e->task, NULL);
	if (!e->begun || e->task.cancelled)
		classify(e, &l->folder);
	if (e->late)
		l->late += l->late < 2 * LIST_LATE;
	else if (l->late)
		l->late--;
	if (e->class == ENTRY_FAILED) {
		log_error("%s: %s", e->entry->path, e->fault.text);
		l->unreadable = true;
	}
	return e->class == ENTRY_LABELS;
}

static void add_name(const struct entry *entry, bool escaped, char end, struct strbuf *out)
{
	struct strbuf name = STRBUF_INIT;

	strbuf_adds(&name, entry->path);
	if (entry->member) {
		strbuf_addch(&name, '#');
		strbuf_adds(&name, entry->member);
	}
	if (escaped)
		escape_terminal(out, name.s, name.len);
	else
		strbuf_add(out, name.s, name.len);
	strbuf_addch(out, end);
	strbuf_release(&name);
}

enum status audit_list(const struct audit *a, int *signal_number, struct error *err)
{
	const char end = a->options->find.nul_separated ? '\0' : '\n';
	const bool escaped = GUARD(list_on_a_terminal, isatty(STDOUT_FILENO));
	struct strbuf names = STRBUF_INIT;
	struct lister lister = { .audit = a };
	bool listed = false;
	struct progress progress;
	struct work_unit unit;
	enum status status;

	/* on a terminal the list itself moves */
	progress_init(&progress, a->options->progress == PROGRESS_BAR && !isatty(STDOUT_FILENO),
		      a->options->progress == PROGRESS_LINES, a->options->unicode);
	folder_role_init(&lister.folder);
	work_unit_init(&unit);
	do {
		work_unit_clear(&unit);
		strbuf_clear(&names);
		status = source_draw(a->source, &unit, is_late(&lister) ? LIST_AHEAD : WORK_UNIT_FILES, err);
		if (status == STATUS_OK)
			begin_unit(&lister, &unit);
		for (size_t i = 0; status == STATUS_OK && i < unit.count; i++)
			if (would_be_read(&lister, &lister.entries[i]))
				add_name(&unit.entries[i], escaped, end, &names);
		listed |= names.len > 0;
		progress_add(&progress, unit.count);
		if (status == STATUS_OK && names.len)
			status = write_stdout(&names, signal_number, err);
	} while (status == STATUS_OK && unit.count);
	progress_finish(&progress);
	strbuf_release(&names);
	work_unit_release(&unit);
	free(lister.entries);
	if (status == STATUS_OK && lister.unreadable)
		return error_set(err, "some folders could not be read, so files may be missing from the list");
	if (status == STATUS_OK && !listed && !a->options->allow_empty && !a->settings->shards)
		return error_set(err, NOTHING_MATCHED);
	return status;
}
