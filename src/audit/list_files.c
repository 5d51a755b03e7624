/*
 * --list: the files that an audit would read, one per line, or each ended by a NUL (-0). A terminal gets them escaped.
 * A pipe or a file gets their bytes, since a script opens the files by them.
 */
#include <unistd.h>

#include "audit/audit_state.h"
#include "base/escape.h"
#include "base/guard.h"
#include "base/log.h"
#include "base/write_all.h"

/* Returns whether an audit would read the entry. Logs an error if it cannot be inspected. */
static bool would_be_read(const struct audit *a, struct folder_role *folder, const struct entry *entry,
			  bool *unreadable)
{
	enum entry_class class = ENTRY_FAILED;
	struct fault fault = FAULT_INIT;
	struct entry_probe probe;

	if (entry->archive || entry->skip_reason || is_audited_elsewhere(&a->fetching, entry))
		return false;
	/* the walk knows why a folder could not be opened; a damaged member is listed */
	if (entry->failed && entry->fault.kind == FAULT_UNREADABLE) {
		fault = entry->fault;
	} else {
		folder_role_enter(folder, entry);
		probe_init(&probe);
		class = classify_entry(entry, folder, layout_of(&a->layouts, entry), &probe, &fault).class;
		probe_close(&probe);
	}
	if (class == ENTRY_FAILED) {
		log_error("%s: %s", entry->path, fault.text);
		*unreadable = true;
	}
	return class == ENTRY_LABELS;
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
	bool listed = false, unreadable = false;
	struct folder_role folder;
	struct progress progress;
	struct work_unit unit;
	enum status status;

	/* on a terminal the list itself moves */
	progress_init(&progress, a->options->progress == PROGRESS_BAR && !isatty(STDOUT_FILENO),
		      a->options->progress == PROGRESS_LINES, a->options->unicode);
	folder_role_init(&folder);
	work_unit_init(&unit);
	do {
		work_unit_clear(&unit);
		strbuf_clear(&names);
		status = source_draw(a->source, &unit, WORK_UNIT_FILES, err);
		for (size_t i = 0; status == STATUS_OK && i < unit.count; i++)
			if (would_be_read(a, &folder, &unit.entries[i], &unreadable))
				add_name(&unit.entries[i], escaped, end, &names);
		listed |= names.len > 0;
		progress_add(&progress, unit.count);
		if (status == STATUS_OK && names.len)
			status = write_stdout(&names, signal_number, err);
	} while (status == STATUS_OK && unit.count);
	progress_finish(&progress);
	strbuf_release(&names);
	work_unit_release(&unit);
	if (status == STATUS_OK && unreadable)
		return error_set(err, "some folders could not be read, so files may be missing from the list");
	if (status == STATUS_OK && !listed && !a->options->allow_empty && !a->settings->shards)
		return error_set(err, NOTHING_MATCHED);
	return status;
}
