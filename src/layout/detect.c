#include "layout/detect.h"

#include <string.h>

#include "base/guard.h"
#include "base/mem.h"
#include "base/stop.h"
#include "find/archive.h"
#include "find/names.h"
#include "find/path_state.h"
#include "layout/archive_pairs.h"
#include "layout/detection.h"
#include "layout/evidence.h"
#include "layout/folder_role.h"
#include "layout/image_folder.h"
#include "layout/jpeg_sample.h"
#include "layout/photo_probe.h"
#include "layout/probe_ahead.h"
#include "layout/sampling.h"

/* Moves the folders to *out. */
static void become_image_folder(struct dataset_layout *out, struct class_folders *folders)
{
	*out = (struct dataset_layout){ .settings = out->settings,
					.look_mask = out->look_mask,
					.explicit_kinds = KIND_BIT(KIND_IMAGEFOLDER),
					.kinds = KIND_BIT(KIND_IMAGEFOLDER) };
	out->folders = xmalloc(sizeof(*out->folders));
	*out->folders = *folders;
	memset(folders, 0, sizeof(*folders));
}

static enum status open_image_folder(const struct find_options *find, struct dataset_layout *out, struct error *err)
{
	struct class_folders folders;

	if (image_folder_open(&folders, find, err) != STATUS_OK)
		return STATUS_FAILED;
	become_image_folder(out, &folders);
	return STATUS_OK;
}

static void detection_init(struct detection *d, const struct find_options *find, const struct settings *settings,
			   bool probe_pngs, struct dataset_layout *out, struct probe_ahead *ahead)
{
	*out = (struct dataset_layout){ .settings = settings, .explicit_kinds = ALL_KINDS, .kinds = GRID_KINDS };
	*d = (struct detection){ .find = find,
				 .preset_files = settings->files,
				 .probe_pngs = probe_pngs,
				 .out = out,
				 .ahead = ahead,
				 .photo_probe.ahead = ahead };
	photo_candidates_init(&d->candidates);
	image_folder_detection_init(&d->image_folder, find);
	folder_looks_init(&d->looks);
	folder_role_init(&d->folder);
}

static void detection_release(struct detection *d)
{
	image_folder_detection_release(&d->image_folder);
	photo_candidates_release(&d->candidates);
	evidence_release(&d->evidence);
	jpeg_sample_release(&d->jpegs);
	folder_looks_release(&d->looks);
}

static uint64_t times_unread(const struct detection *d)
{
	return d->unread + d->photo_probe.unread + d->image_folder.unread;
}

/*
 * Walks a second time if something could not be read, and takes the result of the walk that read more. If the audit can
 * read it, a passing error must not decide what the data set is.
 */
static enum status walk_files(struct detection *d, const struct settings *settings, struct error *err)
{
	struct find_options whole = *d->find;
	struct dataset_layout second_out;
	struct detection second;

	whole.shard = (struct shard){ 0, 0 }; /* all parts of a data set must get the same answer */
	whole.heads_only = whole.keep_standard_input = true;
	whole.stop = PLANTED(detection_deaf_to_signals, stop_flag(), NULL);
	whole.drawn = detection_begin_unit;
	whole.member_folders = &d->image_folder.packed;
	enum status status = source_each(&whole, detection_observe, d, err);

	if (status != STATUS_OK || !times_unread(d))
		return status;
	detection_init(&second, d->find, settings, d->probe_pngs, &second_out, d->ahead);
	whole.member_folders = &second.image_folder.packed;
	status = source_each(&whole, detection_observe, &second, err);
	if (times_unread(&second) < times_unread(d)) {
		detection_release(d);
		*d->out = second_out;
		second.out = d->out;
		*d = second;
	} else {
		detection_release(&second);
	}
	return status;
}

/*
 * Detects the kind of what lies below find->paths, taken as one set. several_paths: there are others, to whose labels
 * photos may belong. ahead: reads what is probed.
 */
static enum status detect_set(const struct find_options *find, const struct settings *settings, bool several_paths,
			      struct probe_ahead *ahead, struct detected *out, struct error *err)
{
	struct dataset_layout *layout = &out->layout;
	struct detection d;

	detection_init(&d, find, settings, false, layout, ahead);
	enum status status = walk_files(&d, settings, err);

	if (status == STATUS_OK && !stop_signal() && detection_needs_photo_probe(&d, several_paths)) {
		struct archive_pairs seen = d.pairs; /* the JSON may come after its folder */

		detection_release(&d);
		detection_init(&d, find, settings, true, layout, ahead);
		memcpy(d.pairs.panoptic, seen.panoptic, sizeof(seen.panoptic));
		d.pairs.panoptic_count = seen.panoptic_count;
		status = walk_files(&d, settings, err);
	}
	image_folder_detection_end(&d.image_folder);
	detection_conclude(&d, out);
	out->image_folder &= status == STATUS_OK && !stop_signal();
	if (out->image_folder) {
		dataset_layout_release(layout);
		become_image_folder(layout, &d.image_folder.folders);
	}
	detection_release(&d);
	return status;
}

/* ---- PATHs ------------------------------------------------------------------------------------------------------- */

/* Returns whether a PATH is walked. Any other PATH is a label file, whatever lies in the others. */
static bool is_walked(const struct find_options *find, size_t index)
{
	const char *path = find->paths[index];

	return is_archive_name(path) || is_npz_name(path) || path_is_folder(find, index);
}

/*
 * Lets the PATHs without label files of their own, which has_labels does not mark, follow the others: photos/ beside
 * labels/. If none has label files, they are detected as one set: the splits of an ImageFolder.
 */
static enum status detect_rest(const struct find_options *find, const struct settings *settings,
			       struct probe_ahead *ahead, struct detected *v, struct error *err)
{
	const char **paths = xcalloc(find->paths_count, sizeof(*paths));
	struct path_state *states = xcalloc(find->paths_count, sizeof(*states));
	struct find_options rest = *find;
	struct detected joint = { .family = FAMILY_NONE };
	const struct detected *heaviest = NULL;
	enum status status = STATUS_OK;
	size_t first = 0;

	rest.paths = paths;
	rest.states = states;
	rest.paths_count = 0;
	for (size_t i = 0; i < find->paths_count; i++) {
		if (v[i].walked && v[i].family != FAMILY_NONE && !v[i].image_folder) {
			heaviest = !heaviest || v[i].weight > heaviest->weight ? &v[i] : heaviest;
		} else if (v[i].walked) {
			first = rest.paths_count ? first : i;
			states[rest.paths_count] = path_state_of(find, i);
			paths[rest.paths_count++] = find->paths[i];
		}
	}
	if (rest.paths_count && !(rest.paths_count == 1 && !heaviest)) {
		status = detect_set(&rest, settings, heaviest, ahead, &joint, err);
		const struct detected *from = joint.image_folder || !heaviest ? &joint : heaviest;

		for (size_t i = 0; i < find->paths_count; i++) {
			if (!v[i].walked || (v[i].family != FAMILY_NONE && !v[i].image_folder))
				continue;
			dataset_layout_release(&v[i].layout);
			v[i].layout = from->layout;
			v[i].layout.borrows = from != &joint || i != first;
		}
		if (from != &joint)
			dataset_layout_release(&joint.layout);
	}
	free(states);
	free(paths);
	return status;
}

/* Returns the layout of files of which nothing is known but the settings. */
static struct dataset_layout plain_layout(const struct settings *settings)
{
	const enum kind kind = settings->kind;

	return (struct dataset_layout){ .settings = settings,
					.explicit_kinds = kind == KIND_AUTO ? ALL_KINDS : KIND_BIT(kind),
					.kinds = kind == KIND_AUTO ? GRID_KINDS : KIND_BIT(kind),
					.photos_as_masks = kind == KIND_MASK };
}

void layout_of_nothing(const struct settings *settings, struct dataset_layouts *out)
{
	*out = (struct dataset_layouts){ .count = 1 };
	out->v = xcalloc(1, sizeof(*out->v));
	out->v[0] = plain_layout(settings);
}

enum status layout_detect(const struct find_options *find, const struct settings *settings, struct dataset_layouts *out,
			  struct error *err)
{
	const enum kind kind = settings->kind;
	const size_t paths = find->paths_count;
	struct dataset_layout plain = plain_layout(settings);
	enum status status = STATUS_OK;

	*out = (struct dataset_layouts){ .count = 1 };
	if (kind == KIND_IMAGEFOLDER)
		status = open_image_folder(find, &plain, err);
	/* listed files are explicit, and a list on standard input can be read only once */
	if (kind == KIND_AUTO && !find->files_from)
		out->count = paths + 1;
	struct detected *v = xcalloc(out->count, sizeof(*v));
	struct find_options one = *find;
	struct probe_ahead ahead;

	probe_ahead_init(&ahead, find->pool, stop_flag());
	v[out->count - 1].layout = plain;
	one.paths_count = 1;
	for (size_t i = 0; i + 1 < out->count && status == STATUS_OK; i++) {
		v[i].layout = plain;
		v[i].family = FAMILY_NONE;
		v[i].walked = is_walked(find, i);
		one.paths = find->paths + i;
		one.states = find->states ? find->states + i : NULL;
		if (v[i].walked)
			status = detect_set(&one, settings, out->count > 2, &ahead, &v[i], err);
	}
	if (out->count > 2 && status == STATUS_OK && !stop_signal())
		status = detect_rest(find, settings, &ahead, v, err);
	probe_ahead_release(&ahead);
	out->v = xcalloc(out->count, sizeof(*out->v));
	for (size_t i = 0; i < out->count; i++)
		out->v[i] = v[i].layout;
	free(v);
	if (status != STATUS_OK)
		dataset_layouts_release(out);
	return status;
}
