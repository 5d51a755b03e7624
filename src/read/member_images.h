/*
 * struct member_images: the members of archives, and what loaders see of those that are images (read/photo.h).
 *
 * A tar cannot be gone back in, and an image may come before its label file or after it. So the audit reads the images
 * of archives before the labels (audit/index_members.h); then one in an archive is looked up where one on disk would be
 * opened. The path of a member is the archive's, '/' and its name.
 *
 * Filled by one thread; after member_images_end() read-only, any thread. Bounded by the constants: where there is more,
 * nothing is known of any member.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "read/photo.h"

enum {
	MEMBERS_MAX = 1 << 20, /* 40 bytes each */
	MEMBER_TEXTS_BYTES = 48 << 20,
};

struct member_image {
	size_t path, fault; /* in `texts`; fault 0: none */
	uint8_t kind;       /* enum fault_kind */
	bool sized;
	struct photo_size size;
};

/* All zero: empty, as is NULL. */
struct member_images {
	struct member_image *v; /* sorted by path; owned */
	size_t count, cap;
	struct strbuf texts;
	bool full;
};

void member_images_release(struct member_images *m);
/* Adds a member; of an image size, or NULL if that is unknown, and what is wrong with it. */
void member_images_add(struct member_images *m, const char *archive, const char *member, const struct photo_size *size,
		       const struct fault *fault);
void member_images_end(struct member_images *m);

/* Returns whether a path is that of a file or a folder on disk, a member, or a folder in an archive. */
bool path_exists(const struct member_images *m, const char *path);
/* Reads an image's size as photo_read_size() does, or looks up that of a member. */
bool image_read_size(const struct member_images *m, int dirfd, const char *name, const char *path,
		     struct photo_size *out, struct fault *fault);
/* Calls take() with the name of each member of a folder, not of those below. */
void member_images_each(const struct member_images *m, const char *folder, void (*take)(void *self, const char *name),
			void *self);
