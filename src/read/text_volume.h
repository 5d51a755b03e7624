/*
 * Parses the headers of volumes that are a text, a field a line, before the voxels: NRRD ("Definition of NRRD File
 * Format", teem.sourceforge.net), until an empty line, with raw or gzip voxels; MetaImage (ITK's MetaIO), until
 * ElementDataFile = LOCAL, with raw voxels or a zlib stream. [i, j, k] is that of pynrrd, and of SimpleITK's GetPixel.
 */
#pragma once

#include "find/unpacker.h"
#include "read/sample.h"

/* Bytes: those of segmentations, and of what was made of DICOM, have tens of thousands. */
enum { TEXT_VOLUME_HEADER_MAX = 256 << 10 };

/*
 * Parses a header from the first n bytes of a file, which it changes, into all of h; text[n] is writable. *packing: how
 * the voxels from h->data_at on are packed. Returns false if *fault is set (FAULT_LABELS, FAULT_TRUNCATED,
 * FAULT_LIMIT).
 */
bool text_volume_parse(char *text, size_t n, struct array_header *h, enum packing *packing, struct fault *fault);
