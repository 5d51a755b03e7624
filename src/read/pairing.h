/* struct pairing: the result of --images for one label file, or for one image that has none. Plain data. */
#ifndef READ_PAIRING_H
#define READ_PAIRING_H

#include <stdbool.h>

#include "base/fault.h"
#include "read/photo.h"

enum pair_state {
	PAIR_FOUND,
	PAIR_NO_IMAGE,   /* a label file without an image */
	PAIR_NO_MASK,    /* an image without a mask */
	PAIR_AMBIGUOUS,  /* an image with the stem of another */
	PAIR_UNREADABLE, /* a folder of images that could not be read whole */
};

struct pairing {
	enum pair_state state;
	const char *partner;    /* the image; the path searched for, without extension; the other image */
	bool sized;             /* size is valid */
	struct photo_size size; /* of the image */
	struct fault fault;     /* why size is not valid, or why the folder could not be read */
};

#endif
