#include "audit/file_count.h"

#include <string.h>
#include <sys/stat.h>

/* Files per step. */
enum { DRAW = 1024 };

bool file_count_can(const struct find_options *find)
{
	struct stat st;

	return !find->files_from ||
	       (strcmp(find->files_from, "-") != 0 && stat(find->files_from, &st) == 0 && S_ISREG(st.st_mode));
}

void file_count_init(struct file_count *c, const struct find_options *find)
{
	struct error ignored = ERROR_INIT;

	c->find = *find;
	c->find.no_archives = c->find.keep_standard_input = true;
	c->files = 0;
	work_unit_init(&c->unit);
	if (!file_count_can(&c->find) || source_open(&c->source, &c->find, &ignored) != STATUS_OK)
		c->source = NULL;
}

static void close_source(struct file_count *c)
{
	work_unit_clear(&c->unit);
	source_close(c->source);
	c->source = NULL;
}

void file_count_release(struct file_count *c)
{
	close_source(c);
	work_unit_release(&c->unit);
}

bool file_count_more(struct file_count *c)
{
	struct error ignored = ERROR_INIT;

	if (!c->source)
		return false;
	work_unit_clear(&c->unit);
	if (source_draw(c->source, &c->unit, DRAW, &ignored) != STATUS_OK || !c->unit.count) {
		close_source(c);
		return false;
	}
	c->files += c->unit.count;
	return true;
}
