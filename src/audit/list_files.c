/*
 * --list: the files that an audit would read, one per line, or each ended by a NUL (-0). A terminal gets them escaped.
 * A pipe or a file gets their bytes, since a script opens the files by them.
 */
#include <unistd.h>

#include "audit/audit_parts.h"
#include "base/escape.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/write_all.h"

/* Returns whether an audit would read the entry. Logs an error if it cannot be inspected, and sets *unreadable. */
static bool would_be_read(const struct fetched *f, bool *unreadable)
{
	const struct entry *entry = f->entry;
	const struct fault *fault = NULL;

	/* the walk knows why a folder could not be opened; a damaged member is listed */
	if (entry->failed && entry->fault.kind == FAULT_UNREADABLE)
		fault = &entry->fault;
	else if (!entry->archive && f->class.class == ENTRY_FAILED)
		fault = &f->fault;
	if (fault)
		log_error("%s: %s", entry->path, fault->text);
	*unreadable |= fault != NULL;
	return !fault && !entry->archive && f->class.class == ENTRY_LABELS;
}

static void add_name(const struct entry *entry, bool escaped, char end, struct strbuf *out)
{
	RELEASED struct strbuf name = STRBUF_INIT;

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
}

/* Appends the names of a unit's entries that an audit would read. */
static void list_unit(struct audit *a, struct ahead_unit *u, bool escaped, struct strbuf *names, bool *unreadable)
{
	for (size_t i = 0; i < u->unit.count; i++)
		if (would_be_read(ahead_file(&a->ahead, u, i, NULL), unreadable))
			add_name(&u->unit.entries[i], escaped, a->options->input.find.nul_separated ? '\0' : '\n',
				 names);
}

enum status audit_list(struct audit *a, int *signal_number, struct error *err)
{
	const bool escaped = GUARD(list_on_a_terminal, isatty(STDOUT_FILENO));
	RELEASED struct strbuf names = STRBUF_INIT;
	bool listed = false, unreadable = false;
	struct progress progress;
	struct ahead_unit *unit = NULL;
	enum status status;

	/* on a terminal the list itself moves */
	progress_init(&progress, a->options->output.progress == PROGRESS_BAR && !isatty(STDOUT_FILENO),
		      a->options->output.progress == PROGRESS_LINES, a->options->output.unicode);
	fetcher_init(&a->ahead.fetcher, a->settings, &a->pairs, &a->layouts, NULL);
	a->ahead.fetcher.classes_only = true;
	ahead_init(&a->ahead, a->source, a->pool, WORK_UNIT_FILES);
	do {
		ahead_give_back(&a->ahead, unit);
		strbuf_clear(&names);
		status = ahead_next(&a->ahead, &unit, err);
		if (!unit)
			break;
		list_unit(a, unit, escaped, &names, &unreadable);
		listed |= names.len > 0;
		progress_add(&progress, unit->unit.count);
		if (names.len)
			status = write_stdout(&names, signal_number, err);
	} while (status == STATUS_OK);
	ahead_give_back(&a->ahead, unit);
	progress_finish(&progress);
	if (pool_stop(a->pool))
		ahead_release(&a->ahead);
	if (status == STATUS_OK && unreadable)
		return error_set(err, "some folders could not be read, so files may be missing from the list");
	if (status == STATUS_OK && !listed && !(a->options->allowed & ALLOW_EMPTY) && !a->settings->shards)
		return error_set(err, NOTHING_MATCHED);
	return status;
}
