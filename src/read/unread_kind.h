/*
 * enum unread_kind: label files in formats that are known and not read. A finding names each kind with the command that
 * converts it; "no label file" would leave the user with a riddle.
 *
 * Recognised by content: signatures, keys of JSON, elements of XML, the header of a table. Pure, any thread.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "find/skip_reason.h"
#include "read/identify.h"

/* Their names are a closed list in the schema of the report. */
enum unread_kind {
	UNREAD_NONE,
	/* images, which may be masks */
	UNREAD_TIFF,
	UNREAD_WEBP,
	UNREAD_BMP,
	UNREAD_GIF,
	UNREAD_NETPBM,
	/* arrays and containers */
	UNREAD_NIFTI, /* in two files */
	UNREAD_ARROW,
	UNREAD_ZARR,
	UNREAD_PARQUET,
	UNREAD_HDF5,
	UNREAD_MAT,
	UNREAD_TFRECORD,
	UNREAD_LMDB,
	/* that hold images, or nothing of a data set, as often as labels */
	UNREAD_NRRD, /* in two files, and the next */
	UNREAD_METAIMAGE,
	UNREAD_DICOM,
	UNREAD_PICKLE,
	/* annotations: boxes and polygons with the names of classes */
	UNREAD_VOC_XML,
	UNREAD_LABELME_XML, /* of the old LabelMe */
	UNREAD_CVAT_XML,
	UNREAD_LABELME,
	UNREAD_LABEL_STUDIO,
	UNREAD_VIA_JSON,
	UNREAD_VIA3_JSON,
	UNREAD_VIA_CSV,
	UNREAD_DARWIN,
	UNREAD_DATUMARO,
	UNREAD_SCALABEL, /* BDD100K */
	UNREAD_LABELBOX,
	UNREAD_CREATE_ML,
	UNREAD_SUPERVISELY,
	UNREAD_VOC_JSON, /* Pascal VOC's XML, key by key */
	UNREAD_ODGT,     /* CrowdHuman: an object a line */
	UNREAD_ODVG,     /* Grounding DINO's detection sets: an object a line */
	UNREAD_WHEAT,    /* Global Wheat 2021: the boxes of an image in one cell */
	UNREAD_WIDER,    /* WIDER FACE: a text of an image, the number of its boxes, and these */
	/* an object a line, with the names of images and no label: Hugging Face's metadata.jsonl */
	UNREAD_JSON_LINES,
	UNREAD_KINDS,
};

/* Returns the kind of a file by the n first bytes of what it holds, unpacked; UNREAD_NONE if it is none of these. */
enum unread_kind unread_kind_of(enum content content, const uint8_t *head, size_t n);
/* Returns whether files of the kind hold images, or nothing of a data set, as often as labels. */
bool unread_kind_is_doubtful(enum unread_kind kind);
/* Returns the reason for which a file of the kind is left out. */
enum skip_reason unread_kind_reason(enum unread_kind kind);
/* "voc-xml"; NULL for UNREAD_NONE. Static. */
const char *unread_kind_name(enum unread_kind kind);
/* Returns what `files` files are, for a sentence: "TIFF images". Static. */
const char *unread_kind_text(enum unread_kind kind, uint64_t files);
/* Sets *fault for a file of the kind that the user named. Returns false. */
bool unread_kind_fault(enum unread_kind kind, struct fault *fault);
/* Returns how to convert them: a sentence that ends in a command with the word PATH for their folder, if one does.
 * Static. */
const char *unread_kind_conversion(enum unread_kind kind);
