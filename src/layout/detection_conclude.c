/*
 * The conclusions from a walk: the family of labels that the data set is made of, and how its images differ from them.
 */
#include "layout/detection.h"

#include <string.h>

#include "base/guard.h"
#include "base/mem.h"
#include "find/names.h"
#include "layout/archive_pairs.h"
#include "layout/evidence.h"
#include "layout/image_folder.h"
#include "layout/jpeg_sample.h"
#include "layout/photo_probe.h"
#include "layout/probe.h"
#include "layout/sampling.h"
#include "read/identify.h"

/* Returns whether the names of folders are the labels: what else may be labels is a stray among the photos. */
static bool is_image_folder(const struct detection *d, const struct settings *settings)
{
	const struct evidence *e = &d->evidence;
	uint64_t others = evidence_among_folders(e, d->image_folder.inside) + e->colours;

	if (!(d->photos || d->pngs_are_photos) || d->archive_unfinished || e->distances || d->images_have_masks ||
	    (d->masks_among_images && !evidence_is_lone(e, FAMILY_GRID)))
		return false;
	/* masks in BMP beside photos, in folders of their own for each image */
	if (evidence_is_flat(e) && e->flat < e->photos && !d->image_folder.direct)
		return false;
	/* a PNG that is no photo may lie outside the class folders, too */
	others -= MIN(e->masks + e->colours, d->image_folder.outside + e->clutter);
	return image_folder_detection_fits(&d->image_folder, id_ranges_size(&settings->classes.classes), others);
}

bool detection_needs_photo_probe(const struct detection *d, bool several_paths)
{
	bool texts = (d->kinds & ~GRID_KINDS) || d->evidence.unread || d->lfs_kinds || d->tables || d->annotated ||
		     evidence_is_described(&d->evidence) || evidence_has_table_of_images(&d->evidence) ||
		     d->stopped_early || several_paths;
	bool nameless = d->masks_among_images && !d->out->folder_roles && (d->kinds & KIND_BIT(KIND_MASK));
	/* photos and their masks may lie in one folder, images/ */
	bool mixed = d->masks_among_images && !d->evidence.masks && evidence_family(&d->evidence) == FAMILY_GRID;

	return (texts || nameless || mixed) &&
	       ((d->kinds & KIND_BIT(KIND_MASK)) || d->plain_in_archive || d->masks_among_images) &&
	       (d->pngs_are_photos || d->pairs.panoptic_count ||
		photo_candidates_may_be_no_masks(&d->candidates, d->ahead));
}

/* Returns the family of a tree in which nothing but git-lfs pointers, or tables without labels, was seen. */
static enum family family_of_claims(const struct detection *d)
{
	for (int i = FAMILY_YOLO; i < FAMILIES; i++)
		if (d->lfs_kinds & family_kinds((enum family)i))
			return (enum family)i;
	return d->tables && !d->masks_among_images && !d->images_have_masks ? FAMILY_LIST : FAMILY_NONE;
}

static void take_back(uint64_t *from, uint64_t n)
{
	*from -= MIN(*from, n);
}

/* Returns whether there are labels of any family outside of folders of plots. */
static bool has_labels_elsewhere(const struct detection *d)
{
	const struct evidence *e = &d->evidence;
	uint64_t masks = e->masks + e->plain + e->image_masks, plots = 0;

	for (size_t i = 0; i < d->looks.count; i++)
		if (d->looks.v[i].content == FOLDER_PLOTS)
			plots += d->looks.v[i].as_masks + d->looks.v[i].as_plain;
	return masks > plots || d->looks.paired || e->arrays || e->measured || e->yolo || e->coco || e->idx ||
	       e->list || d->out->label_names_only;
}

/* Corrects the evidence by what the folders hold, and moves that to the layout. */
static void conclude_folders(struct detection *d)
{
	struct evidence *e = &d->evidence;
	bool of_use = false;

	e->clutter = d->looks.clutter;
	d->images_have_masks = folder_looks_have_named_pair(&d->looks);
	if (!has_labels_elsewhere(d))
		folder_looks_forget_plots(&d->looks);
	for (size_t i = 0; i < d->looks.count; i++) {
		const struct folder_look *f = &d->looks.v[i];

		if (f->content != FOLDER_PHOTOS && f->content != FOLDER_PLOTS)
			continue;
		of_use = true;
		d->out->folder_roles |= f->role == ROLE_IMAGES && f->content == FOLDER_PHOTOS;
		take_back(&e->masks, f->as_masks);
		take_back(&e->plain, f->as_plain);
		take_back(&e->colours, f->as_colours);
		if (f->is_clutter)
			take_back(&e->clutter, f->as_masks + f->as_plain + f->as_colours);
		e->named = MIN(e->named, e->masks);
		e->photos += f->content == FOLDER_PHOTOS ? f->as_masks + f->as_plain : 0;
	}
	if (!e->masks && of_use)
		d->kinds &= ~KIND_BIT(KIND_MASK);
	d->plain_in_archive &= !of_use || e->plain;
	if (of_use) {
		d->out->looks = d->looks;
		folder_looks_init(&d->looks);
	}
}

/* Returns whether PNGs hold distances, beside the photos that they were measured with. */
static bool are_distances(const struct evidence *e)
{
	return e->distances && e->photos;
}

/* Tells by which names, places and folders masks differ from images. */
static void conclude_conventions(struct detection *d)
{
	struct dataset_layout *layout = d->out;
	struct evidence *e = &d->evidence;

	detection_end_sample(d);
	folder_looks_end(&d->looks, d->ahead);
	if (!layout->settings->colours.count)
		folder_looks_find_renderings(&d->looks);
	conclude_folders(d);
	layout->sample_roles =
		PLANTED(convention_of_few, 2 * d->samples_paired > d->samples_plain, d->samples_paired > 0);
	layout->archive_pairs = archive_pairs_hold(&d->pairs);
	layout->folder_roles |=
		(d->photos_in_images && (d->kinds & KIND_BIT(KIND_MASK)) && !evidence_images_hold_masks(e)) ||
		are_distances(e);
	if (!layout->sample_roles)
		e->masks += e->plain;
}

/* Returns the family of most labels that were seen. *tags: it is that of a table of tags beside photos. */
static enum family family_of_most(const struct detection *d, bool *tags)
{
	const struct evidence *e = &d->evidence;
	const bool claimed = !(d->kinds || e->masks || e->colours || e->image_masks);
	enum family family = claimed ? family_of_claims(d) : evidence_family(e);

	if (family == FAMILY_LIST && evidence_list_is_stray(e))
		family = FAMILY_NONE;
	*tags = claimed && family == FAMILY_LIST && evidence_has_table_of_images(e);
	return family;
}

/* Returns whether a family's labels are strays or no labels, by what lies beside them. tags: family_of_most()'s. */
static bool has_no_labels(const struct detection *d, enum family family, bool tags)
{
	const struct evidence *e = &d->evidence;
	const bool grids = family == FAMILY_GRID || family == FAMILY_NONE;
	const uint64_t masks = e->masks + e->image_masks + e->arrays;
	/* plots among annotations of a kind that is not read are no masks */
	const bool plots = (d->annotated || e->unread) && !masks && !evidence_colours_are_masks(e);

	return (family != FAMILY_NONE && !evidence_outweighs_unread(e, family)) ||
	       ((grids || tags) && (plots || evidence_is_unread(e))) ||
	       (grids && are_distances(e) && !(masks + e->measured)) || evidence_is_lone(e, family);
}

/*
 * Returns whether photos are audited as masks that were saved so. meant: nothing but the photos could be labels, or
 * they are called so; outweigh: they do the family's labels.
 */
static bool photos_are_masks(const struct detection *d, bool meant, bool outweigh)
{
	const bool alone = !d->kinds && !d->plain_in_archive && !d->pngs_are_photos && !d->masks_among_images &&
			   !d->archive_unfinished && !d->evidence.colours;

	return d->photos && meant && !d->out->flat_masks && (outweigh || alone) &&
	       (d->out->label_names_only || !jpeg_sample_has_photos(&d->jpegs));
}

/* Moves the names that classify.c is to look for to the layout. */
static void conclude_names(struct detection *d, enum family family)
{
	struct dataset_layout *layout = d->out;
	struct evidence *e = &d->evidence;
	const bool coloured = layout->settings->colours.count;

	/* with a table of colours, what looks like a plot may be a mask whose image is elsewhere */
	if (family == FAMILY_GRID && !coloured && evidence_masks_have_image_names(e)) {
		layout->masked = e->image_names;
		e->image_names.bits = NULL;
	}
	if (family == FAMILY_GRID && d->photos_in_images && evidence_images_hold_masks(e)) {
		layout->image_masks = e->beginnings;
		e->beginnings.bits = NULL;
	}
	if (layout->no_family && (evidence_is_described(e) || evidence_has_table_of_images(e))) {
		layout->images = e->image_names;
		e->image_names.bits = NULL;
	}
	if (family == FAMILY_YOLO) {
		layout->annotated = e->image_names;
		e->image_names.bits = NULL;
	}
	if (layout->kinds & (KIND_BIT(KIND_COCO) | KIND_BIT(KIND_LIST))) {
		struct listed_names *names = layout->kinds & KIND_BIT(KIND_COCO) ? &e->coco_names : &e->list_names;

		layout->listed_cut = names->cut;
		if (e->masks + e->image_masks + e->colours) { /* else there is no PNG to look for */
			layout->listed = names->names;
			names->names.bits = NULL;
		}
	}
	if (layout->folder_suffix[0] && d->image_folder.packed.count && !d->image_folder.packed.too_many) {
		layout->packed = xmalloc(sizeof(*layout->packed));
		*layout->packed = d->image_folder.packed;
		memset(&d->image_folder.packed, 0, sizeof(d->image_folder.packed));
	}
}

void detection_conclude(struct detection *d, struct detected *out)
{
	struct dataset_layout *layout = &out->layout;
	struct evidence *e = &d->evidence;
	bool tags;

	d->annotated |= evidence_is_described(e) || evidence_has_table_of_images(e);
	const bool meant_as_masks =
		layout->label_names_only || (d->loose_photos && !d->annotated && !e->unread && !e->distances);

	conclude_conventions(d);
	enum family family = family_of_most(d, &tags);
	const bool nothing = has_no_labels(d, family, tags);
	const bool jpegs = !nothing && d->photos && evidence_is_jpeg_masks(e, family);

	family = nothing || jpegs ? FAMILY_NONE : family;
	out->weight = family == FAMILY_NONE ? 0 : evidence_weight(e, family);
	out->photos = d->photos || d->pngs_are_photos;
	layout->some_tables_have_labels = d->kinds & KIND_BIT(KIND_LIST);
	layout->kinds = nothing ? 0 : family_kinds(family);
	if (family == FAMILY_NONE && evidence_is_flat(e)) {
		family = FAMILY_GRID;
		out->weight = e->flat;
		layout->kinds = family_kinds(FAMILY_GRID);
		layout->flat_masks = true;
	}
	out->family = family;
	if (family == FAMILY_GRID && !layout->flat_masks)
		layout->kinds &= ~evidence_stray_grids(e);
	layout->array_axes = e->named_axes;
	layout->masks_are_named = family == FAMILY_GRID && evidence_has_named_masks(e);
	layout->numbers_alone = family == FAMILY_GRID && evidence_is_of_numbers(e);
	layout->no_family = family == FAMILY_NONE;
	layout->photos_as_masks = photos_are_masks(d, meant_as_masks, jpegs);
	layout->lists_are_bound = family == FAMILY_LIST && evidence_lists_are_bound(e);
	layout->look_mask = look_mask(e->masks + e->image_masks + e->plain + e->colours + e->photos,
				      !d->stopped_early && !d->archive_unfinished);
	layout->images_in_doubt = e->image_masks > 2 * e->yolo;
	layout->photos_by_content = photo_candidates_differ(&d->candidates, d->ahead);
	out->image_folder = is_image_folder(d, layout->settings);
	conclude_names(d, family);
}
