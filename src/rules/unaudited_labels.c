/*
 * What it finds
 *   Files that look like labels and were not audited: symbolic links that lead out of the paths given or nowhere,
 *   hidden names, archives in archives, files of another kind than the data set's (YOLO texts among masks), or in an
 *   unknown format (unread-format reports the known ones). The report's `coverage` counts them by reason; --verbose
 *   lists each.
 *
 * Why it matters
 *   A verdict covers what was read. Labels that were left out train the model as well, and nobody looked at them.
 *
 * Example
 *   (dataset): warning unaudited-labels: 50 files that look like labels were not audited: 50 symbolic links that lead
 *   out of the paths given (the first: m/s0.png)
 *
 * What to do
 *   Audit them too: --follow for links, --hidden for hidden names, --kind for another kind, in a run of its own; unpack
 *   or convert the rest. --exclude leaves out files that are no labels.
 *
 *   It is an error with --strict, and where more such files were left out than audited. In many public datasets,
 *   annotations in formats that are not read are beside the masks; these remain a warning.
 */
#include "judge/check.h"

static const char *remedy(enum skip_reason reason)
{
	switch (reason) {
	case SKIP_HIDDEN:
		return "pass --hidden, or leave them out with --exclude";
	case SKIP_LINK_OUTSIDE:
	case SKIP_LINK_FOLDER:
		return "pass --follow to audit what the links lead to, or leave them out with --exclude";
	case SKIP_LINK_DANGLING:
	case SKIP_LINK_LOOP:
		return "fetch what the links lead to (git annex get, dvc pull), or remove them";
	case SKIP_MEMBER_LINK:
	case SKIP_MEMBER_DEVICE:
		return "pack the files themselves: tar --dereference --hard-dereference";
	case SKIP_NESTED_ARCHIVE:
	case SKIP_UNREAD_ARCHIVE:
		return "unpack them, and audit the folder";
	case SKIP_OTHER_KIND:
		return "audit them in a run of their own, with --kind, or leave them out with --exclude";
	case SKIP_UNREAD_FORMAT:
	case SKIP_UNREAD_ANNOTATION:
		return "convert them to a format that is read (labelaudit(1) lists them), or leave them out with "
		       "--exclude";
	case SKIP_TABLE:
		return "if they have labels, name the column with --column (rows of several are not read), or declare "
		       "the one class of boxes that have none (--classes 1); else leave them out with --exclude";
	default:
		return "audit them in a run of their own, or leave them out with --exclude";
	}
}

static bool check_dataset(const struct settings *settings, const struct dataset_stats *d, struct finding *f)
{
	const struct coverage *c = &d->coverage;
	uint64_t labels = 0, most = 0;
	enum skip_reason reason = SKIP_NONE;

	for (int i = 0; i < SKIP_REASONS; i++) {
		labels += c->labels[i].files;
		if (c->labels[i].files > most) {
			most = c->labels[i].files;
			reason = (enum skip_reason)i;
		}
	}
	if (!labels)
		return false;
	RELEASED struct strbuf reasons = STRBUF_INIT;

	f->example = c->labels[reason].example;
	coverage_describe_labels(c, &reasons);
	say(f, "%" PRIu64 " %s not audited: %s (the first: %s)", labels,
	    plural(labels, "file that looks like labels was", "files that look like labels were"), reasons.s,
	    c->labels[reason].example);
	advise(f, "%s", remedy(reason));
	/* a preset that came with the data decides what is looked at */
	uint64_t weighty = coverage_weighty(c) +
			   (narrowings_find(&settings->narrowed, "preset") ? c->labels[SKIP_NOT_PRESET].files : 0);

	if (settings->strict || weighty > d->files_read + d->files_failed)
		f->level = LEVEL_ERROR;
	return true;
}

const struct rule rule_unaudited_labels = {
	RULE("unaudited-labels", "file", LEVEL_WARNING, "files that look like labels and were not audited"),
	.tells_unread = true,
	.check_dataset = check_dataset,
};
