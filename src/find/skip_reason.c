#include "find/skip_reason.h"

#include <string.h>

static const struct {
	const char *name, *one, *many;
} reasons[SKIP_REASONS] = {
	[SKIP_HIDDEN] = { "hidden", "hidden name", "hidden names" },
	[SKIP_EXCLUDED] = { "excluded", "name that --exclude matches", "names that --exclude matches" },
	[SKIP_NOT_INCLUDED] = { "not-included", "name that no --include matches", "names that no --include matches" },
	[SKIP_LINK_OUTSIDE] = { "link-outside", "symbolic link that leads out of the paths given",
				"symbolic links that lead out of the paths given" },
	[SKIP_LINK_DANGLING] = { "link-dangling", "symbolic link that leads nowhere",
				 "symbolic links that lead nowhere" },
	[SKIP_LINK_LOOP] = { "link-loop", "symbolic link in a loop", "symbolic links in a loop" },
	[SKIP_LINK_REPEATED] = { "link-repeated", "symbolic link to what is audited under another name",
				 "symbolic links to what is audited under another name" },
	[SKIP_LINK_FOLDER] = { "link-folder", "symbolic link to a folder", "symbolic links to folders" },
	[SKIP_MEMBER_LINK] = { "member-link", "link in an archive", "links in archives" },
	[SKIP_MEMBER_DEVICE] = { "member-device", "device in an archive", "devices in archives" },
	[SKIP_NESTED_ARCHIVE] = { "nested-archive", "archive in an archive", "archives in archives" },
	[SKIP_OTHER_KIND] = { "other-kind", "label file of another kind", "label files of another kind" },
	[SKIP_NOT_DECLARED] = { "not-declared", "file that may hold labels, and that labels does not name",
				"files that may hold labels, and that labels does not name" },
	[SKIP_NOT_PRESET] = { "not-preset", "PNG that is not where the preset has its masks",
			      "PNGs that are not where the preset has its masks" },
	[SKIP_IMAGE] = { "image", "image", "images" },
	[SKIP_NAMED_IMAGE] = { "named-image", "file that is named as an image", "files that are named as images" },
	[SKIP_NAMED_ASIDE] = { "named-aside", "file in a folder that accompanies masks",
			       "files in folders that accompany masks" },
	[SKIP_TABLE] = { "table", "table without labels", "tables without labels" },
	[SKIP_UNREAD_FORMAT] = { "unread-format", "file in a format that is not read",
				 "files in a format that is not read" },
	[SKIP_UNREAD_ANNOTATION] = { "unread-annotation", "annotation in a format that is not read",
				     "annotations in a format that is not read" },
	[SKIP_UNREAD_ARCHIVE] = { "unread-archive", "archive that is not read", "archives that are not read" },
	[SKIP_UNREAD_DATA] = { "unread-data", "file of images or labels in a format that is not read",
			       "files of images or labels in a format that is not read" },
	[SKIP_OWN_REPORT] = { "own-report", "report of labelaudit", "reports of labelaudit" },
	[SKIP_CLUTTER] = { "clutter", "file of an operating system, an editor or a tool",
			   "files of an operating system, an editor or a tool" },
	[SKIP_NO_LABELS] = { "no-labels", "file without labels", "files without labels" },
};

const char *skip_reason_name(enum skip_reason reason)
{
	return reasons[reason].name;
}

const char *skip_reason_text(enum skip_reason reason, uint64_t files)
{
	return files == 1 ? reasons[reason].one : reasons[reason].many;
}
