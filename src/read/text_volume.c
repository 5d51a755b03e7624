#include "read/text_volume.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/escape.h"
#include "base/guard.h"
#include "base/mem.h"
#include "base/strbuf.h"

enum { NRRD, METAIMAGE, RANK_MAX = 16 };

enum field {
	DIMENSION,
	SIZES,
	TYPE,
	ENCODING,
	ORDER,
	SPACE,
	DIRECTIONS,
	ORIGIN,
	SPACINGS,
	KINDS,
	CHANNELS,
	BYTE_SKIP,
	LINE_SKIP,
	BINARY,
	DATA_FILE,
	FIELDS
};

/* The names of the fields in both formats, in bars. The first are never missing. */
static const char *const names[FIELDS][2] = {
	[DIMENSION] = { "|dimension|", "|NDims|" },
	[SIZES] = { "|sizes|", "|DimSize|" },
	[TYPE] = { "|type|", "|ElementType|" },
	[ENCODING] = { "|encoding|", "|CompressedData|" },
	[ORDER] = { "|endian|", "|BinaryDataByteOrderMSB|ElementByteOrderMSB|" },
	[SPACE] = { "|space|", "" },
	[DIRECTIONS] = { "|space directions|", "|TransformMatrix|Rotation|Orientation|" },
	[ORIGIN] = { "|space origin|", "|Offset|Position|Origin|" },
	[SPACINGS] = { "|spacings|", "|ElementSpacing|" },
	[KINDS] = { "|kinds|", "" },
	[CHANNELS] = { "", "|ElementNumberOfChannels|" },
	[BYTE_SKIP] = { "|byte skip|byteskip|", "|HeaderSize|" },
	[LINE_SKIP] = { "|line skip|lineskip|", "" },
	[BINARY] = { "", "|BinaryData|" },
	[DATA_FILE] = { "|data file|datafile|", "|ElementDataFile|" },
};

/* Those of the types. A long of MetaImage has 32 bits everywhere. */
static const struct {
	enum array_dtype dtype;
	const char *names;
} types[] = {
	{ DTYPE_UINT8, "|uchar|unsigned char|uint8|uint8_t|MET_UCHAR|" },
	{ DTYPE_INT8, "|signed char|int8|int8_t|MET_CHAR|" },
	{ DTYPE_INT16, "|short|short int|signed short|signed short int|int16|int16_t|MET_SHORT|" },
	{ DTYPE_UINT16, "|ushort|unsigned short|unsigned short int|uint16|uint16_t|MET_USHORT|" },
	{ DTYPE_INT32, "|int|signed int|int32|int32_t|MET_INT|MET_LONG|" },
	{ DTYPE_UINT32, "|uint|unsigned int|uint32|uint32_t|MET_UINT|MET_ULONG|" },
	{ DTYPE_INT64, "|longlong|long long|long long int|signed long long|signed long long int|int64|int64_t|"
		       "MET_LONG_LONG|" },
	{ DTYPE_UINT64, "|ulonglong|unsigned long long|unsigned long long int|uint64|uint64_t|MET_ULONG_LONG|" },
	{ DTYPE_FLOAT32, "|float|MET_FLOAT|" },
	{ DTYPE_FLOAT64, "|double|MET_DOUBLE|" },
};

struct header {
	int format;                  /* NRRD or METAIMAGE */
	char *text, *fields[FIELDS]; /* values; NULL: there is none */
	struct array_header *h;
	struct fault *fault;
};

static const char blanks[] = " \t\r", between[] = " \t\r,()";

/* Returns whether a word is one of those in bars. */
static bool is_among(const char *word, const char *words)
{
	char barred[64];

	return strlen(word) < sizeof(barred) - 2 && !strchr(word, '|') &&
	       snprintf(barred, sizeof(barred), "|%s|", word) > 2 && strstr(words, barred);
}

static void cut_blanks(char *s)
{
	for (size_t n = strlen(s); n && strchr(blanks, s[n - 1]); n--)
		s[n - 1] = '\0';
}

/* Finds the fields, of each the first, and where the voxels begin. Returns false if the header does not end. */
static bool find_fields(struct header *t, size_t n)
{
	for (char *s = t->text, *end; (end = memchr(s, '\n', n - (size_t)(s - t->text))); s = end + 1) {
		unsigned field = 0;

		*end = '\0';
		cut_blanks(s);
		t->h->data_at = (uint64_t)(end + 1 - t->text);
		if (t->format == NRRD && !*s)
			return true;
		char *value = strpbrk(s, t->format == NRRD ? ":" : ":=");

		/* after := comes a value of the user's */
		if (*s == '#' || !value || !strncmp(value, ":=", 2))
			continue;
		*value++ = '\0';
		cut_blanks(s);
		while (field < FIELDS && !is_among(s, names[field][t->format]))
			field++;
		if (field < FIELDS && !t->fields[field])
			t->fields[field] = value + strspn(value, blanks);
		if (t->format == METAIMAGE && field == DATA_FILE)
			return true;
	}
	return false;
}

/* Sets a fault about a value. Returns false. */
static bool refuse(const struct header *t, const char *value, const char *before, const char *after)
{
	RELEASED struct strbuf shown = STRBUF_INIT;

	escape_terminal(&shown, value, strnlen(value, 40));
	return fault_set(t->fault, FAULT_LABELS, (uint64_t)(value - t->text), "%s '%s'%s", before,
			 *value ? shown.s : "", after);
}

/* Takes the next number of a value, NaN for another word: (1,0,0) are three, and so is 1 0 0. False at the end. */
static bool next_number(char **s, double *out)
{
	char *end;

	*s += strspn(*s, between);
	*out = strtod(*s, &end);
	if (end != *s + strcspn(*s, between))
		*out = NAN;
	const bool any = **s;

	*s += strcspn(*s, between);
	return any;
}

/* ---- what the voxels are ----------------------------------------------------------------------------------------- */

static bool take_type(const struct header *t)
{
	const char *type = t->fields[TYPE], *order = t->fields[ORDER] ? t->fields[ORDER] : "";
	size_t i = 0;

	while (i < ARRAY_SIZE(types) && !is_among(type, types[i].names))
		i++;
	if (i == ARRAY_SIZE(types))
		return refuse(t, type, "the voxels are of type", ", which is none of ids");
	t->h->dtype = (uint8_t)types[i].dtype;
	if (dtype_bytes(types[i].dtype) == 1)
		return true;
	t->h->big_endian = is_among(order, "|big|True|true|");
	return t->format == METAIMAGE || is_among(order, "|little|big|") ||
	       fault_set(t->fault, FAULT_LABELS, 0, "the header does not say whether endian is little or big");
}

static bool take_shape(const struct header *t)
{
	char *rank_at = t->fields[DIMENSION], *at = t->fields[SIZES];
	uint64_t bytes = dtype_bytes((enum array_dtype)t->h->dtype);
	double rank, length;

	if (!next_number(&rank_at, &rank) || !(rank >= 1 && rank <= RANK_MAX && rank == floor(rank)))
		return refuse(t, t->fields[DIMENSION], "the number of dimensions is", "; 1 to 16 are allowed");
	t->h->elements = 1;
	for (; next_number(&at, &length); t->h->rank++) {
		if (t->h->rank >= rank || !(length >= 1 && length <= 0x1p53 && length == floor(length)))
			return refuse(t, t->fields[SIZES], "the sizes are",
				      ", where as many as dimensions are expected");
		t->h->shape[t->h->rank] = (uint64_t)length;
		if (GUARD(text_volume_overflow, !size_mul(bytes, (uint64_t)length, &bytes) || bytes > INT64_MAX))
			return refuse(t, t->fields[SIZES], "the sizes", " multiply to more than 2^63 bytes");
		t->h->elements *= (uint64_t)length;
	}
	return t->h->rank == rank || refuse(t, t->fields[SIZES], "the sizes are", ", fewer than the dimensions");
}

/* The values that some fields must have, in bars, and why. */
static const struct {
	enum field field;
	const char *good, *before, *after;
} demands[] = {
	{ DATA_FILE, "|LOCAL|Local|", "its voxels lie in another file,", "" },
	{ ENCODING, "|raw|gzip|gz|True|False|true|false|", "the encoding is", ": raw and gzip are read" },
	{ BINARY, "|True|true|", "BinaryData is", ": voxels as text are not read" },
	{ BYTE_SKIP, "|0|", "bytes lie before the voxels:", ", and readers differ in where" },
	{ LINE_SKIP, "|0|", "lines lie before the voxels:", ", and readers differ in where" },
	{ CHANNELS, "|1|", "the number of channels is", ": one id per voxel is expected" },
};

static bool meets_demands(const struct header *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(demands); i++) {
		const char *value = t->fields[demands[i].field];

		if (!value || is_among(value, demands[i].good))
			continue;
		refuse(t, value, demands[i].before, demands[i].after);
		return demands[i].field != CHANNELS &&
		       fault_advise(t->fault,
				    "write it anew: SimpleITK.WriteImage(SimpleITK.ReadImage(f), 'a.nrrd', True)");
	}
	/* an axis of values, not of places, is that of colours, vectors, or the layers of a segmentation */
	for (char *rest = t->fields[KINDS], *word; rest && (word = strtok_r(rest, blanks, &rest));)
		if (!is_among(word, "|domain|space|time|none|???|stub|scalar|")) {
			refuse(t, word, "an axis is of kind", ": it has values of a voxel, where one id is expected");
			return fault_advise(t->fault,
					    "export the segmentation as a label map of one layer, as 3D Slicer does");
		}
	return true;
}

/* ---- where they are ---------------------------------------------------------------------------------------------- */

/* Takes where the first three axes go: of NRRD vectors as long as a voxel, or none; of MetaImage rows of a matrix. */
static void take_directions(const struct header *t, struct volume_header *v)
{
	char *rest = t->fields[DIRECTIONS], *vector;

	for (unsigned axis = 0; rest && axis < MIN(t->h->rank, 3); axis++) {
		double along[RANK_MAX] = { 0 }, *const spacing = &v->spacing[axis];
		unsigned n = 0;

		vector = rest + strspn(rest, blanks);
		if (t->format == NRRD) {
			rest = vector + strcspn(vector, *vector == '(' ? ")" : blanks);
			if (*rest)
				*rest++ = '\0';
		}
		while (n < (t->format == NRRD ? 3 : t->h->rank) && next_number(&vector, &along[n]) &&
		       isfinite(along[n]))
			n++;
		if (t->format == METAIMAGE)
			rest = vector;
		if (n < 2 && n < t->h->rank)
			continue;
		for (unsigned i = 0; i < 3; i++)
			v->affine[i][axis] = along[i] * (t->format == NRRD ? 1 : *spacing);
		if (t->format == NRRD)
			*spacing = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]);
	}
}

/* Both count to the left, the back and the head, unless an NRRD says otherwise; NIfTI counts to the right and front. */
static void take_space(const struct header *t)
{
	struct volume_header *v = &t->h->volume;
	const char *space = t->fields[SPACE] ? t->fields[SPACE] : "";
	const bool left = t->format == METAIMAGE || *space == 'l' || *space == 'L',
		   back = t->format == METAIMAGE || !strncasecmp(space, "left-posterior", 14) ||
			  !strncmp(space, "LPS", 3);
	char *origin = t->fields[ORIGIN], *spacings = t->fields[SPACINGS];
	double number;

	v->is_volume = true;
	v->container = t->format == NRRD ? FORMAT_NRRD : FORMAT_METAIMAGE;
	v->oriented = t->format == METAIMAGE || t->fields[DIRECTIONS];
	for (unsigned i = 0; i < 3; i++) {
		v->spacing[i] = spacings && next_number(&spacings, &number) && isfinite(number) ? number : 1;
		v->affine[i][3] = origin && next_number(&origin, &number) && isfinite(number) ? number : 0;
		v->affine[i][i] = v->spacing[i];
	}
	take_directions(t, v);
	for (unsigned i = 0; i < 4; i++) {
		v->affine[0][i] *= left ? -1 : 1;
		v->affine[1][i] *= back ? -1 : 1;
	}
	for (unsigned i = 0; i < 3; i++)
		v->spacing[i] = fabs(v->spacing[i]);
}

bool text_volume_parse(char *text, size_t n, struct array_header *h, enum packing *packing, struct fault *fault)
{
	struct header t = { .format = strncmp(text, "NRRD", MIN(n, (size_t)4)) ? METAIMAGE : NRRD,
			    .text = text,
			    .h = h,
			    .fault = fault };

	text[n] = '\0';
	*packing = PACKING_NONE;
	memset(h, 0, sizeof(*h));
	h->fortran = true;
	const bool ends = find_fields(&t, n);

	if (!meets_demands(&t))
		return false;
	if (!ends && GUARD(text_volume_header, n >= TEXT_VOLUME_HEADER_MAX))
		return fault_set(fault, FAULT_LIMIT, n, "a header of more than %d bytes", TEXT_VOLUME_HEADER_MAX);
	if (!ends)
		return fault_set(fault, FAULT_TRUNCATED, n, "ends after %zu bytes, within the header", n);
	for (unsigned i = 0; i <= (t.format == NRRD ? ENCODING : TYPE); i++)
		if (!t.fields[i])
			return fault_set(fault, FAULT_LABELS, 0, "the header does not have %.*s",
					 (int)strlen(names[i][t.format]) - 2, names[i][t.format] + 1);
	if (t.fields[ENCODING] && is_among(t.fields[ENCODING], "|gzip|gz|True|true|"))
		*packing = t.format == NRRD ? PACKING_GZIP : PACKING_ZLIB;
	if (!take_type(&t) || !take_shape(&t))
		return false;
	take_space(&t);
	return true;
}
