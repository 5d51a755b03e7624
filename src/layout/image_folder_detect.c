#include "layout/image_folder_detect.h"

#include <string.h>

#include "base/mem.h"
#include "base/strbuf.h"
#include "layout/probe.h"

void class_folder_census_init(struct class_folder_census *c, const struct find_options *find)
{
	*c = (struct class_folder_census){ .find = find, .last_class = UINT32_MAX };
}

void class_folder_census_release(struct class_folder_census *c)
{
	class_folders_release(&c->folders);
	member_folders_release(&c->packed);
}

static void list_folders(struct class_folder_census *c, const struct member_folders *packed)
{
	struct error ignored = ERROR_INIT;

	c->stray = class_folders_open(&c->folders, c->find->paths, c->find->paths_count, packed, true, &ignored) !=
		   STATUS_OK;
	c->unread += c->stray;
	c->stray |= c->folders.too_many || class_folders_look_like_parts(&c->folders);
}

/* A picture that lies in one class folder, in a split without classes, or anywhere. */
static void take_class_in(struct class_folder_census *c, const char *path, size_t below)
{
	unsigned root;
	uint32_t id;

	if (class_folders_is_bare(&c->folders, path))
		return;
	c->stray = !class_folders_find(&c->folders, path, below, NULL, &root, &id);
	if (c->stray)
		return;
	c->several |= c->last_class != UINT32_MAX && c->last_class != id;
	c->last_class = id;
}

/*
 * The folders are listed when the first picture comes that lies in one: most sets have none, and a folder of ten
 * million masks is not to be read twice.
 */
void class_folder_census_add(struct class_folder_census *c, const struct entry *entry)
{
	if (c->stray)
		return;
	c->stray = !strchr(entry->member ? member_name_plain(entry->member) : entry_found_as(entry), '/');
	if (c->stray || entry->member)
		return;
	if (!c->listed) {
		c->listed = true;
		list_folders(c, NULL);
	}
	if (!c->stray)
		take_class_in(c, entry->path, entry->rel_offset);
}

void class_folder_census_end(struct class_folder_census *c)
{
	struct strbuf path = STRBUF_INIT;

	if (c->stray || !c->packed.count)
		return;
	class_folders_release(&c->folders);
	list_folders(c, &c->packed);
	for (uint32_t i = 0; i < c->packed.count && !c->stray; i++) {
		const struct member_folder *folder = &c->packed.v[i];

		if (!folder->images && !folder->images_deeper)
			continue;
		strbuf_clear(&path);
		member_folders_path(&c->packed, i, &path);
		strbuf_adds(&path, "/x");
		take_class_in(c, path.s, 0);
	}
	strbuf_release(&path);
}

bool class_folder_census_fits(const struct class_folder_census *c, uint64_t classes)
{
	uint64_t folders = 0;

	if (c->stray || !c->several)
		return false;
	for (size_t i = 0; i < c->folders.count; i++)
		folders = MAX(folders, (uint64_t)c->folders.roots[i].count);
	return folders + 1 >= classes && folders <= classes + 1;
}
