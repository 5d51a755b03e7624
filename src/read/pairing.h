/* struct pairing: the result of --images for one label file, or for one image that has none. Plain data. */
#ifndef READ_PAIRING_H
#define READ_PAIRING_H

#include <stdbool.h>

#include "base/fault.h"
#include "read/photo.h"

enum pair_state {
	PAIR_FOUND,
	PAIR_NO_IMAGE,   /* of a label file */
	PAIR_NO_MASK,    /* of an image */
	PAIR_AMBIGUOUS,  /* of an image: another has the same stem */
	PAIR_UNREADABLE, /* of a folder of images: some of it may be missing */
};

struct pairing {
	enum pair_state state;
	const char *partner;    /* the image; the path searched for, without extension; the other image */
	bool sized;             /* size is valid */
	struct photo_size size; /* of the image */
	struct fault fault;     /* why size is not valid, or why the folder could not be read */
};

#endif
