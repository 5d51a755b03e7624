#include "read/unread_kind.h"

#include <string.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "read/input.h"
#include "read/text_boxes.h"

/* Each command is one line for a shell. It names no file of the set: such a name could hold a command itself. */
#define IMAGES(extension)                                                                                    \
	"write them as PNG, in their folder: python3 -c \"from pathlib import Path; from PIL import Image; " \
	"[Image.open(p).save(p.with_suffix('.png')) for p in Path('.').rglob('" extension "')]\""

/* The rows of a table of boxes; each kind adds where they come from. */
#define BOXES(modules)                                                                                          \
	"write their boxes as a table, in their folder: python3 -c \"import csv, " modules                      \
	"; from pathlib import Path; csv.writer(open('labels.csv', 'w')).writerows([['image', 'xmin', 'ymin', " \
	"'xmax', 'ymax', 'class']] + ["
#define END "])\""

#define VIA_ROW "s['x'], s['y'], s['x'] + s['width'], s['y'] + s['height'], ''.join(list(a.values())[:1])]"

static const struct {
	const char *name, *one, *many, *conversion;
} kinds[UNREAD_KINDS] = {
	[UNREAD_TIFF] = { "tiff", "TIFF image", "TIFF images", IMAGES("*.[tT][iI][fF]*") },
	[UNREAD_WEBP] = { "webp", "WebP image", "WebP images", IMAGES("*.webp") },
	[UNREAD_BMP] = { "bmp", "BMP image", "BMP images", IMAGES("*.[bB][mM][pP]") },
	[UNREAD_GIF] = { "gif", "GIF image", "GIF images", IMAGES("*.[gG][iI][fF]") },
	[UNREAD_NIFTI] = { "nifti", "NIfTI volume", "NIfTI volumes",
			   "write them as NumPy arrays, in their folder: python3 -c \"import nibabel, numpy; from "
			   "pathlib import Path; [numpy.save(str(p).split('.nii')[0], "
			   "numpy.asarray(nibabel.load(p).dataobj)) for p in Path('.').rglob('*.nii*')]\"" },
	[UNREAD_PARQUET] = { "parquet", "Parquet table", "Parquet tables",
			     "write the column of labels as CSV, here one named label: python3 -c \"import pandas; "
			     "from pathlib import Path; [pandas.read_parquet(p, columns=['label'])"
			     ".to_csv(p.with_suffix('.csv'), index=False) for p in Path('.').rglob('*.parquet')]\"" },
	[UNREAD_HDF5] = { "hdf5", "HDF5 file", "HDF5 files",
			  "write the labels as NumPy arrays, here those named label: python3 -c \"import h5py, numpy; "
			  "from pathlib import Path; [numpy.save(p.with_suffix('.npy'), h5py.File(p)['label'][()]) for "
			  "p in Path('.').rglob('*.h*5')]\"" },
	[UNREAD_MAT] = { "mat", "MATLAB file", "MATLAB files",
			 "write the labels as NumPy arrays, here those named S: python3 -c \"import numpy, scipy.io; "
			 "from pathlib import Path; [numpy.save(p.with_suffix('.npy'), scipy.io.loadmat(p)['S']) for p "
			 "in Path('.').rglob('*.mat')]\" (version 7.3 is HDF5: h5py.File(p)['S'][()].T)" },
	[UNREAD_TFRECORD] = { "tfrecord", "TFRecord file", "TFRecord files",
			      "write the masks as PNG, here from DeepLab's feature: python3 -c \"import tensorflow as "
			      "tf; from pathlib import Path; "
			      "[Path(f'{i}.png').write_bytes(tf.train.Example.FromString(r.numpy())"
			      ".features.feature['image/segmentation/class/encoded'].bytes_list.value[0]) for i, r in "
			      "enumerate(tf.data.TFRecordDataset([str(p) for p in "
			      "sorted(Path('.').rglob('*.tfrecord*'))]))]\"" },
	[UNREAD_LMDB] = { "lmdb", "LMDB database", "LMDB databases",
			  "write the values, here PNGs, as files, in the folder of data.mdb: python3 -c \"import lmdb; "
			  "from pathlib import Path; [Path(k.hex() + '.png').write_bytes(v) for k, v in "
			  "lmdb.open('.', readonly=True, lock=False).begin().cursor()]\"" },
	[UNREAD_VOC_XML] = { "voc-xml", "Pascal VOC XML file", "Pascal VOC XML files",
			     BOXES("xml.etree.ElementTree as E") "[p.stem] + [o.findtext('bndbox/' + k) for k in "
								 "('xmin', 'ymin', 'xmax', 'ymax')] + "
								 "[o.findtext('name')] for p in "
								 "Path('.').rglob('*.xml') for o in "
								 "E.parse(p).iter('object')" END },
	[UNREAD_CVAT_XML] = { "cvat-xml", "CVAT XML file", "CVAT XML files",
			      BOXES("xml.etree.ElementTree as E") "[i.get('name')] + [b.get(k) for k in ('xtl', 'ytl', "
								  "'xbr', 'ybr', 'label')] for p in "
								  "Path('.').rglob('*.xml') for i in "
								  "E.parse(p).iter('image') for b in i.iter('box')" END
								  "; or export the task again as COCO 1.0, which keeps "
								  "polygons" },
	[UNREAD_LABELME] = { "labelme", "labelme JSON file", "labelme JSON files",
			     BOXES("json") "[p.stem] + [f(q[k] for q in s['points']) for f, k in ((min, 0), (min, 1), "
					   "(max, 0), "
					   "(max, 1))] + [s['label']] for p in Path('.').rglob('*.json') for s in "
					   "json.loads(p.read_text())['shapes']" END },
	[UNREAD_LABEL_STUDIO] = { "label-studio", "Label Studio JSON file", "Label Studio JSON files",
				  BOXES("json") "[t['data']['image'], v['x'], v['y'], v['x'] + v['width'], v['y'] + "
						"v['height'], "
						"v['rectanglelabels'][0]] for p in Path('.').rglob('*.json') for t in "
						"json.loads(p.read_text()) for a in t['annotations'] for r in "
						"a['result'] for v in "
						"[r['value']] if 'rectanglelabels' in v" END
						"; or export the project again as COCO" },
	[UNREAD_VIA_JSON] = { "via-json", "VIA JSON file", "VIA JSON files",
			      BOXES("json") "[i['filename'], " VIA_ROW " for p in Path('.').rglob('*.json') for d in "
					    "[json.loads(p.read_text())] for i in "
					    "d.get('_via_img_metadata', d).values() for r in "
					    "(list(i['regions'].values()) if "
					    "isinstance(i['regions'], dict) else i['regions']) for s, a in "
					    "[(r['shape_attributes'], "
					    "r['region_attributes'])] if 'width' in s" END },
	[UNREAD_VIA_CSV] = { "via-csv", "VIA CSV file", "VIA CSV files",
			     BOXES("json") "[r['filename'], " VIA_ROW
					   " for p in Path('.').rglob('*.csv') if p.name != 'labels.csv' for r in "
					   "csv.DictReader(p.read_text().lstrip('#').splitlines()) for s, a in "
					   "[(json.loads(r['region_shape_attributes']), "
					   "json.loads(r['region_attributes']))] if "
					   "'width' in s" END },
	[UNREAD_DARWIN] = { "darwin", "V7 Darwin JSON file", "V7 Darwin JSON files",
			    BOXES("json") "[p.stem, b['x'], b['y'], b['x'] + b['w'], b['y'] + b['h'], a['name']] for p "
					  "in "
					  "Path('.').rglob('*.json') for a in json.loads(p.read_text())['annotations'] "
					  "for b in "
					  "[a.get('bounding_box')] if b" END },
	[UNREAD_CREATEML] = { "createml", "CreateML JSON file", "CreateML JSON files",
			      BOXES("json") "[i['image'], c['x'] - c['width'] / 2, c['y'] - c['height'] / 2, c['x'] + "
					    "c['width'] / 2, "
					    "c['y'] + c['height'] / 2, a['label']] for p in Path('.').rglob('*.json') "
					    "for i in "
					    "json.loads(p.read_text()) for a in i['annotations'] for c in "
					    "[a['coordinates']]" END },
	[UNREAD_BOXES] = { "boxes-without-classes", "text of boxes without classes", "texts of boxes without classes",
			   "they hold no classes; if all are of one, name it: " BOXES(
				   "re") "[p.stem] + re.split('[ ,\\t]+', l.strip()) + ['object'] for p in "
					 "sorted(Path('.').rglob('*.txt')) for l in p.read_text().splitlines() if "
					 "l.strip()" END },
};

const char *unread_kind_name(enum unread_kind kind)
{
	return kinds[kind].name;
}

const char *unread_kind_text(enum unread_kind kind, uint64_t files)
{
	return files == 1 ? kinds[kind].one : kinds[kind].many;
}

const char *unread_kind_conversion(enum unread_kind kind)
{
	return kinds[kind].conversion;
}

bool unread_kind_fault(enum unread_kind kind, struct fault *fault)
{
	return fault_set(fault, FAULT_UNREAD, FAULT_NO_OFFSET, "the format of %ss is not read", kinds[kind].one);
}

enum unread_kind unread_kind_find(const char *name)
{
	for (int i = UNREAD_NONE + 1; i < UNREAD_KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return (enum unread_kind)i;
	return UNREAD_NONE;
}

bool unread_kind_is_image(enum unread_kind kind)
{
	return kind >= UNREAD_TIFF && kind <= UNREAD_GIF;
}

enum skip_reason unread_kind_reason(enum unread_kind kind)
{
	return kind == UNREAD_NONE ? SKIP_NONE : kind >= UNREAD_VOC_XML ? SKIP_UNREAD_ANNOTATION : SKIP_UNREAD_FORMAT;
}

/* ---- recognition ------------------------------------------------------------------------------------------------- */

static bool has_at(const uint8_t *head, size_t n, size_t at, const void *bytes, size_t length)
{
	return n >= at + length && !memcmp(head + at, bytes, length);
}

static bool has(const uint8_t *head, size_t n, const char *text)
{
	return memmem(head, n, text, strlen(text)) != NULL;
}

/* CRC-32C, bit by bit: it checks eight bytes a file. */
static uint32_t crc32c(const uint8_t *bytes, size_t n)
{
	const uint32_t polynomial = 0x82f63b78;
	uint32_t crc = UINT32_MAX;

	for (size_t i = 0; i < n; i++) {
		crc ^= bytes[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
	}
	return ~crc;
}

/* A record is its length (8 bytes), the masked CRC of these, its data, and their CRC. */
static bool is_tfrecord(const uint8_t *head, size_t n)
{
	const uint32_t mask_delta = 0xa282ead8;

	if (n < 16 || !memcmp(head, "\0\0\0\0\0\0\0\0", 8))
		return false;
	uint32_t crc = crc32c(head, 8);

	return le32(head + 8) == (crc >> 15 | crc << 17) + mask_delta;
}

/* The superblock is at byte 0, or after a user block of a power of two of at least 512 bytes. */
static bool is_hdf5(const uint8_t *head, size_t n)
{
	static const uint8_t signature[] = { 0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n' };

	for (size_t at = 0; at + sizeof(signature) <= n; at = at ? 2 * at : 512)
		if (has_at(head, n, at, signature, sizeof(signature)))
			return true;
	return false;
}

static bool is_nifti(const uint8_t *head, size_t n)
{
	/* NIfTI-1 is a header of 348 bytes with its magic at the end, in this file or apart; NIfTI-2 one of 540 */
	return has_at(head, n, 344, "n+1", 4) || has_at(head, n, 344, "ni1", 4) ||
	       has_at(head, n, 4, "n+2\0\r\n\x1a\n", 8) || has_at(head, n, 4, "ni2\0\r\n\x1a\n", 8);
}

static enum unread_kind kind_of_container(const uint8_t *head, size_t n)
{
	static const uint8_t lmdb_magic[] = { 0xde, 0xc0, 0xef, 0xbe }; /* of the first page, after its header */

	if (has_at(head, n, 0, "PAR1", 4))
		return UNREAD_PARQUET;
	if (has_at(head, n, 0, "MATLAB ", 7) && has(head, MIN(n, (size_t)32), "MAT-file"))
		return UNREAD_MAT;
	if (is_hdf5(head, n))
		return UNREAD_HDF5;
	if (is_nifti(head, n))
		return UNREAD_NIFTI;
	if (has_at(head, n, 16, lmdb_magic, sizeof(lmdb_magic)))
		return UNREAD_LMDB;
	return is_tfrecord(head, n) ? UNREAD_TFRECORD : UNREAD_NONE;
}

static enum unread_kind kind_of_xml(const uint8_t *head, size_t n)
{
	if (has(head, n, "<annotations>") &&
	    (has(head, n, "<image ") || has(head, n, "<track ") || has(head, n, "<meta>")))
		return UNREAD_CVAT_XML;
	return has(head, n, "<annotation") && (has(head, n, "<object>") || has(head, n, "<filename>")) ? UNREAD_VOC_XML
												       : UNREAD_NONE;
}

static enum unread_kind kind_of_json(const uint8_t *head, size_t n)
{
	bool annotations = has(head, n, "\"annotations\"");

	if (has(head, n, "\"categories\"") && has(head, n, "\"category_id\""))
		return UNREAD_NONE; /* COCO, whatever its tool has added */
	if (has(head, n, "\"_via_settings\"") || has(head, n, "\"_via_img_metadata\"") ||
	    (has(head, n, "\"regions\"") && has(head, n, "\"filename\"") &&
	     (has(head, n, "\"shape_attributes\"") || has(head, n, "\"file_attributes\""))))
		return UNREAD_VIA_JSON;
	if (has(head, n, "\"shapes\"") && (has(head, n, "\"points\"") || has(head, n, "\"flags\"") ||
					   has(head, n, "\"imagePath\"") || has(head, n, "\"imageData\"")))
		return UNREAD_LABELME;
	if (annotations && has(head, n, "\"result\"") && (has(head, n, "\"data\"") || has(head, n, "\"completed_by\"")))
		return UNREAD_LABEL_STUDIO;
	if ((annotations && has(head, n, "\"bounding_box\"")) || has(head, n, "darwin-public") ||
	    (has(head, n, "\"workview_url\"") && has(head, n, "\"seq\"")))
		return UNREAD_DARWIN;
	return annotations && has(head, n, "\"coordinates\"") && has(head, n, "\"label\"") ? UNREAD_CREATEML
											   : UNREAD_NONE;
}

enum unread_kind unread_kind_of(enum content content, const uint8_t *head, size_t n)
{
	switch (content) {
	case CONTENT_TIFF:
		return UNREAD_TIFF;
	case CONTENT_WEBP: /* lossless, or it may be */
		return UNREAD_WEBP;
	case CONTENT_BMP:
		return UNREAD_BMP;
	case CONTENT_GIF:
		return UNREAD_GIF;
	case CONTENT_XML:
		return kind_of_xml(head, n);
	case CONTENT_JSON:
		return kind_of_json(head, n);
	case CONTENT_TEXT: {
		const uint8_t *end = memchr(head, '\n', n);

		if (end && has(head, (size_t)(end - head), "region_shape_attributes"))
			return UNREAD_VIA_CSV;
		if (text_boxes_of((const char *)head, n, n < PEEK_BYTES) == BOXES_BARE)
			return UNREAD_BOXES;
		return kind_of_container(head, n); /* MATLAB's header is a text */
	}
	case CONTENT_UNKNOWN:
		return kind_of_container(head, n);
	default:
		return UNREAD_NONE;
	}
}
