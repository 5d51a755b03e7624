/* struct pairing: what --images found out about one label file, or about one image that has none. Plain data. */
#ifndef READ_PAIRING_H
#define READ_PAIRING_H

#include <stdbool.h>

#include "base/fault.h"
#include "read/photo.h"

enum pair_state {
	PAIR_FOUND,
	PAIR_NO_IMAGE,   /* of a label file */
	PAIR_NO_MASK,    /* of an image */
	PAIR_AMBIGUOUS,  /* of an image: another one has the same stem */
	PAIR_UNREADABLE, /* of a folder of images: some of it may not have been seen */
};

struct pairing {
	enum pair_state state;
	const char *partner;      /* its image; the path without extension that was looked for; the other image */
	bool sized;               /* size is valid */
	struct picture_size size; /* of the image */
	struct fault fault;       /* why it is not; why the folder could not be read */
};

#endif
