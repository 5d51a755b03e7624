#include "find/pairs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/file_name.h"
#include "base/mem.h"
#include "base/relative_path.h"
#include "platform/platform.h"

/* Ends with NULL as image_extensions does; the most common first. */
static const char *const mask_extensions[] = { ".png",  ".npy", ".txt", ".PNG", ".npz", ".tif",
					       ".tiff", ".bmp", ".gif", ".TIF", NULL };

/*
 * The ends of stems of masks and of their images, in data sets (Cityscapes, DeepGlobe, iSAID,
 * CamVid, BDD100K, CHASE_DB1, DRIVE) and from annotation tools.
 */
static const struct {
	const char *mask, *image;
} suffixes[] = {
	{ "", "" },
	{ "_mask", "" },
	{ "_mask", "_sat" },
	{ "_gtFine_labelTrainIds", "_leftImg8bit" },
	{ "_gtFine_labelIds", "_leftImg8bit" },
	{ "_gtFine_instanceIds", "_leftImg8bit" },
	{ "_gtCoarse_labelTrainIds", "_leftImg8bit" },
	{ "_gtCoarse_labelIds", "_leftImg8bit" },
	{ "_labelTrainIds", "" },
	{ "_train_id", "" },
	{ "_label", "" },
	{ "_labels", "" },
	{ "_seg", "" },
	{ "_segmentation", "" },
	{ "_gt", "" },
	{ "_L", "" },
	{ "_instance_color_RGB", "" },
	{ "_1stHO", "" },
	{ "_2ndHO", "" },
	{ "_manual1", "_training" },
	{ "_manual1", "_test" },
	{ "", "_0000" }, /* nnU-Net's first channel */
};

size_t pairs_stem(const char *path)
{
	const size_t n = strlen(path) - strlen(file_name_extension(path));

	return is_volume_name(path) && file_name_ends_in(path, ".gz") ? n - strlen(".nii") : n;
}

bool pairs_is_image_name(const char *name)
{
	return is_image_name(name) || is_volume_name(name);
}

bool pairs_covers(const struct pairs *p, const char *path)
{
	return !p->names.channels || path_find_folder(path, "labelsTr");
}

/* Appends a path of n bytes as it is from the root, by names alone. */
static void add_absolute(const struct pairs *p, const char *path, size_t n, struct strbuf *out)
{
	FREED char *copy = xmemdup0(path, n);

	if (copy[0] != '/')
		path_add_components(out, p->current.s);
	path_add_components(out, copy);
}

static bool lies_in_images(const struct pairs *p, const char *path, size_t n)
{
	RELEASED struct strbuf absolute = STRBUF_INIT;

	add_absolute(p, path, n, &absolute);
	return absolute.len >= p->absolute.len && path_lies_in(absolute.s, p->absolute.s);
}

bool pairs_is_image(const struct pairs *p, const char *path, size_t root_len)
{
	return p->absolute.len && lies_in_images(p, path, strlen(path)) && !lies_in_images(p, path, root_len);
}

enum status pairs_open(struct pairs *p, const char *images, const char *const *roots, size_t roots_count,
		       const struct channel_names *names, struct error *err)
{
	p->images_fd = platform_open_folder(AT_FDCWD, images, 0);
	if (p->images_fd < 0)
		return error_set_errno(err, errno, "--images: cannot open '%s'", images);
	p->images = xmemdup0(images, MAX(path_trimmed(images), (size_t)1));
	p->roots = roots;
	p->roots_count = roots_count;
	p->names = *names;
	p->limits = NULL;
	p->current = p->absolute = (struct strbuf)STRBUF_INIT;

	char current[PATH_MAX];

	strbuf_adds(&p->current, getcwd(current, sizeof(current)) ? current : "");
	add_absolute(p, images, strlen(images), &p->absolute);
	return STATUS_OK;
}

void pairs_close(struct pairs *p)
{
	close(p->images_fd);
	free(p->images);
	strbuf_release(&p->current);
	strbuf_release(&p->absolute);
}

static bool ends_in(const char *s, size_t n, const char *with)
{
	size_t m = strlen(with);

	return n > m && !memcmp(s + n - m, with, m);
}

struct search {
	const char *rel_path; /* whose partner is searched; its stem has stem_len bytes */
	size_t stem_len;
	bool to_image;
	const char *const *extensions; /* NULL-terminated */
	struct strbuf *out;            /* the partner is written after its first `base` bytes */
	size_t base;
	int dirfd;
	size_t name_at; /* where in out the name below dirfd begins */
	bool flat;      /* found without its folders */
};

static bool try_one(struct search *s, unsigned suffix, const char *extension, bool flat)
{
	const char *from = s->to_image ? suffixes[suffix].mask : suffixes[suffix].image;
	const char *to = s->to_image ? suffixes[suffix].image : suffixes[suffix].mask;
	const char *start = s->rel_path;
	size_t stem = s->stem_len;

	if (flat) {
		const char *slash = memrchr(start, '/', stem);

		if (!slash)
			return false;
		stem -= (size_t)(slash + 1 - start);
		start = slash + 1;
	}
	if (!ends_in(start, stem, from))
		return false;
	strbuf_cut(s->out, s->base);
	strbuf_add(s->out, start, stem - strlen(from));
	strbuf_adds(s->out, to);
	strbuf_adds(s->out, extension);
	int rc = faccessat(s->dirfd, s->out->s + s->name_at, F_OK, 0);

	if (rc < 0 && errno == ESTALE) /* the server replaced the folder */
		rc = faccessat(AT_FDCWD, s->out->s, F_OK, 0);
	return rc == 0;
}

/* Tries each suffix with each extension in the same folder, then without the folders. */
static bool search(struct search *s)
{
	for (unsigned flat = 0; flat < 2; flat++)
		for (unsigned suffix = 0; suffix < ARRAY_SIZE(suffixes); suffix++)
			for (const char *const *extension = s->extensions; *extension; extension++)
				if (try_one(s, suffix, *extension, flat)) {
					s->flat = flat;
					return true;
				}
	return false;
}

/* Begins the partners' paths with the folder, up to what is opened below dirfd. */
static void begin_in(struct search *s, const char *folder)
{
	strbuf_set(s->out, folder, path_trimmed(folder));
	strbuf_addch(s->out, '/');
	s->base = s->out->len;
	s->stem_len = pairs_stem(s->rel_path);
}

/* Appends the name of the image of nnU-Net's channel; of a file that is no label file, none. */
static void add_channel(const struct channel_names *names, const char *rel_path, unsigned channel, struct strbuf *out)
{
	const size_t n = strlen(rel_path), end = strlen(names->ending);
	const bool ends_so = n > end && !strcmp(rel_path + n - end, names->ending);

	strbuf_add(out, rel_path, ends_so ? n - end : pairs_stem(rel_path));
	strbuf_addf(out, "_%04u%s", channel, names->ending);
}

/* Finds a channel; of a plain set the image with all channels is the first one, and has no other. */
static bool find_channel(const struct pairs *p, struct search *s, unsigned channel)
{
	add_channel(&p->names, s->rel_path, channel, s->out);
	if (faccessat(s->dirfd, s->out->s + s->base, F_OK, 0) == 0)
		return true;
	if (!p->names.plain)
		return false;
	strbuf_cut(s->out, s->base);
	strbuf_adds(s->out, s->rel_path);
	return faccessat(s->dirfd, s->out->s + s->base, F_OK, 0) == 0;
}

bool pairs_find_image(const struct pairs *p, const char *rel_path, unsigned channel, struct strbuf *out,
		      size_t *name_at, bool *flat)
{
	struct search s = { .rel_path = rel_path,
			    .to_image = true,
			    .extensions = is_volume_name(rel_path) ? volume_extensions : image_extensions,
			    .out = out,
			    .dirfd = p->images_fd };

	begin_in(&s, p->images);
	*name_at = s.name_at = s.base;
	*flat = false;
	if (p->names.channels)
		return find_channel(p, &s, channel);
	bool found = search(&s);

	*flat = s.flat;
	if (!found) {
		strbuf_cut(out, s.base); /* what was tried first */
		strbuf_add(out, rel_path, s.stem_len);
	}
	return found;
}

/* Returns a stem's length without nnU-Net's channel: of CASE_0001 that of CASE. */
static size_t without_channel(const char *stem, size_t n)
{
	size_t digits = 0;

	while (digits < 4 && digits < n && ascii_isdigit(stem[n - 1 - digits]))
		digits++;
	return digits == 4 && n > 5 && stem[n - 5] == '_' ? n - 5 : n;
}

bool pairs_has_mask(const struct pairs *p, const char *rel_path)
{
	const bool volume = is_volume_name(rel_path);
	const size_t stem = pairs_stem(rel_path), plain = without_channel(rel_path, stem);
	RELEASED struct strbuf path = STRBUF_INIT, other = STRBUF_INIT;
	struct search s = { .rel_path = rel_path,
			    .extensions = volume ? volume_extensions : mask_extensions,
			    .out = &path,
			    .dirfd = AT_FDCWD };
	bool found = false;

	strbuf_add(&other, rel_path, plain);
	strbuf_adds(&other, rel_path + stem);
	for (size_t i = 0; !found && i < 2 * p->roots_count; i++) {
		s.rel_path = i < p->roots_count ? rel_path : other.s;
		begin_in(&s, p->roots[i % p->roots_count]);
		found = (i < p->roots_count || plain < stem) && search(&s);
	}
	return found;
}
