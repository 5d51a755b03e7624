/* Formats that are known and not read, by the first bytes of their files. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "check_main.h"
#include "read/unread_kind.h"

#define HEAD(s) (s), sizeof(s) - 1

static const struct {
	const char *bytes;
	size_t n, at; /* the bytes follow this many NULs */
	enum unread_kind kind;
} heads[] = {
	{ HEAD("II*\0\10\0\0\0"), 0, UNREAD_TIFF },
	{ HEAD("RIFF\1\2\3\4WEBPVP8L"), 0, UNREAD_WEBP },
	{ HEAD("RIFF\1\2\3\4WEBPVP8 "), 0, UNREAD_NONE }, /* lossy: a finding of its own */
	{ HEAD("P6\n2 1\n255\nabcdef"), 0, UNREAD_NETPBM },
	{ HEAD("PAR1\25\0"), 0, UNREAD_PARQUET },
	{ HEAD("\x89HDF\r\n\x1a\n\0"), 0, UNREAD_HDF5 },
	{ HEAD("\x89HDF\r\n\x1a\n\0"), 512, UNREAD_HDF5 },
	{ HEAD("\x89HDF\r\n\x1a\n\0"), 2048, UNREAD_HDF5 },
	{ HEAD("\x89HDF\r\n\x1a\n\0"), 600, UNREAD_NONE },
	{ HEAD("MATLAB 5.0 MAT-file, Platform: GLNXA64"), 0, UNREAD_MAT },
	{ HEAD("MATLAB 7.3 MAT-file, Platform: GLNXA64\n\0"), 0, UNREAD_MAT },
	{ HEAD("MATLAB is a language\n"), 0, UNREAD_NONE },
	{ HEAD("n+1\0x"), 344, UNREAD_NONE },
	{ HEAD("ni1\0"), 344, UNREAD_NIFTI },
	{ HEAD("ni2\0\r\n\x1a\n"), 4, UNREAD_NIFTI },
	{ HEAD("n+1\0x"), 343, UNREAD_NONE },
	{ HEAD("\xde\xc0\xef\xbe"), 16, UNREAD_LMDB },
	{ HEAD("\5\0\0\0\0\0\0\0\352\262\4>hello"), 0, UNREAD_TFRECORD },
	{ HEAD("\5\0\0\0\0\0\0\0\352\262\5>hello"), 0, UNREAD_NONE },
	{ HEAD("ARROW1\0\0\377\377\377\377"), 0, UNREAD_ARROW },
	{ HEAD("\377\377\377\377\270\0\0\0\20\0\0\0\0"), 0, UNREAD_ARROW },
	{ HEAD("\377\377\377\377\271\0\0\0\20\0\0\0\0"), 0, UNREAD_NONE },
	{ HEAD("NRRD0005\n# Complete NRRD file\ntype: uint8\ndata file: a.raw\n"), 0, UNREAD_NRRD },
	{ HEAD("ObjectType = Image\nNDims = 3\nDimSize = 4 4 4\nElementDataFile = a.raw\n"), 0, UNREAD_METAIMAGE },
	{ HEAD("DICM\2\0"), 128, UNREAD_DICOM },
	{ HEAD("\200\2}q\0"), 0, UNREAD_PICKLE },
	{ HEAD("\200\2\0\0\0"), 0, UNREAD_NONE },
	{ HEAD("{\"zarr_format\": 2, \"shape\": [4]}"), 0, UNREAD_ZARR },
	{ HEAD("{\"zarr_format\": 3, \"node_type\": \"group\"}"), 0, UNREAD_NONE },
	{ HEAD("{\"dm_format_version\":\"1.0\",\"items\":[]}"), 0, UNREAD_DATUMARO },
	{ HEAD("<annotation verified=\"no\"><folder>a</folder><filename>1.jpg</filename>"), 0, UNREAD_VOC_XML },
	{ HEAD("<annotation><filename>1.jpg</filename><object><name>car</name><polygon><pt>"), 0, UNREAD_LABELME_XML },
	{ HEAD("<annotation><object><name>car</name><bndbox><xmin>1</xmin></bndbox><polygon><x1>"), 0, UNREAD_VOC_XML },
	{ HEAD("image_name,BoxesString,domain\na.png,1 2 3 4,x\n"), 0, UNREAD_WHEAT },
	{ HEAD("<?xml version=\"1.0\"?>\n<annotations><version>1.1</version><meta></meta>"), 0, UNREAD_CVAT_XML },
	{ HEAD("<?xml version=\"1.0\"?>\n<project/>"), 0, UNREAD_NONE },
	{ HEAD("{\"version\": \"5\", \"flags\": {}, \"shapes\": []}"), 0, UNREAD_LABELME },
	{ HEAD("{\"shapes\": [3, 4]}"), 0, UNREAD_NONE },
	{ HEAD("{\"imageData\": \"AAAA"), 0, UNREAD_LABELME },
	{ HEAD("[{\"image\": \"1.jpg\", \"label\": [], \"annotator\": 1, \"annotation_id\": 2}]"), 0,
	  UNREAD_LABEL_STUDIO },
	{ HEAD("[{\"id\": 1, \"annotations\": [{\"result\": []}], \"data\": {}}]"), 0, UNREAD_LABEL_STUDIO },
	{ HEAD("{\"_via_settings\": {}}"), 0, UNREAD_VIA_JSON },
	{ HEAD("{\"1.jpg9\": {\"filename\": \"1.jpg\", \"regions\": [], \"file_attributes\": {}}}"), 0,
	  UNREAD_VIA_JSON },
	{ HEAD("#filename,file_size,region_shape_attributes,region_attributes\n"), 0, UNREAD_VIA_CSV },
	{ HEAD("{\"dataset\": \"a\", \"image\": {}, \"annotations\": [{\"bounding_box\": {}}]}"), 0, UNREAD_DARWIN },
	/* COCO, with a key that its tool has added */
	{ HEAD("{\"categories\": [], \"annotations\": [{\"category_id\": 1, \"bounding_box\": []}]}"), 0, UNREAD_NONE },
	{ HEAD("{\"images\": [], \"annotations\": [], \"categories\": []}"), 0, UNREAD_NONE },
	{ HEAD("filename,class\n1.jpg,3\n"), 0, UNREAD_NONE },
	{ HEAD("3\n446.0 91.6\n12 40\n"), 0, UNREAD_NONE },    /* not as many */
	{ HEAD("4\n1 40\n2 41\n3 7\n4 7\n"), 0, UNREAD_NONE }, /* numbers of images and their classes */
	{ HEAD("a/1.jpg\n2\n449 330 122 149 0\na/2.jpg\n1\n0 0 0 0 0\n"), 0, UNREAD_WIDER },
	{ HEAD("a/1.jpg\na/2.jpg\na/3.jpg\n"), 0, UNREAD_NONE },
	{ HEAD("a/1.jpg\n2\n3\n"), 0, UNREAD_NONE },
	{ HEAD("{\"ID\": \"1\", \"gtboxes\": [{\"tag\": \"person\", \"fbox\": [1, 2, 3, 4]}]}\n"), 0, UNREAD_ODGT },
	{ HEAD("{\"filename\": \"1.jpg\", \"detection\": {\"instances\": [{\"bbox\": [1, 2, 3, 4]}]}}\n"), 0,
	  UNREAD_ODVG },
	{ HEAD("[{\"name\": \"1.jpg\", \"labels\": [{\"box2d\": {\"x1\": 1}}]}]"), 0, UNREAD_SCALABEL },
	{ HEAD("[{\"image\": \"1.jpg\", \"annotations\": [{\"label\": \"cat\", \"coordinates\": {\"x\": 1, \"width\": "
	       "2}}]}]"),
	  0, UNREAD_CREATE_ML },
	{ HEAD("{\"type\": \"FeatureCollection\", \"label\": 1, \"width\": 2, \"coordinates\": [1, 2]}"), 0,
	  UNREAD_NONE },
	{ HEAD("{\"data_row\": {}, \"projects\": {\"p\": {\"labels\": []}}, \"annotations\": [{\"bounding_box\": "
	       "{}}]}"),
	  0, UNREAD_LABELBOX },
	{ HEAD("image,xmin,ymin,xmax,ymax,kind\n1.jpg,3,4,5,6,7\n"), 0, UNREAD_NONE },
	{ HEAD("id,x,y,label\n1,3,4,6\n"), 0, UNREAD_NONE },
	{ HEAD("% a comment\nBicycle 204\n"), 0, UNREAD_NONE },
	{ HEAD(""), 0, UNREAD_NONE },
};

TEST_EACH(kinds_by_content, sizeof(heads) / sizeof(heads[0]))
{
	size_t n = heads[_i].at + heads[_i].n;
	uint8_t *bytes = xcalloc(n + 1, 1);

	memcpy(bytes + heads[_i].at, heads[_i].bytes, heads[_i].n);
	ck_assert_int_eq(unread_kind_of(identify(bytes, n), bytes, n), heads[_i].kind);
	/* no prefix is read beyond its end: for the sanitizers */
	for (size_t k = 0; k < n; k++) {
		uint8_t *prefix = memcpy(xmalloc(k + !k), bytes, k);

		unread_kind_of(identify(prefix, k), prefix, k);
		free(prefix);
	}
	free(bytes);
}

TEST(each_kind_is_described)
{
	for (int i = UNREAD_NONE + 1; i < UNREAD_KINDS; i++) {
		enum unread_kind kind = (enum unread_kind)i;

		for (int k = UNREAD_NONE + 1; k < i; k++)
			ck_assert_str_ne(unread_kind_name(kind), unread_kind_name((enum unread_kind)k));
		ck_assert_str_ne(unread_kind_text(kind, 1), unread_kind_text(kind, 2));
		ck_assert_uint_lt(strlen(unread_kind_conversion(kind)), 1000); /* struct text */
		ck_assert_int_ne(unread_kind_reason(kind), SKIP_NONE);
	}
}
