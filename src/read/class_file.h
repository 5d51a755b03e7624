/*
 * Reads class files: the ids and names of the classes, from a file that comes with the training set or the model.
 *
 *   names.txt             one name a line, from id 0; labelme's __ignore__ in the first line is -1
 *   YOLO data.yaml        names as a list or a map, nc; label_mapping {id in files: class}
 *   labelaudit.yaml       classes {id: name} or [name], a count or ids; ignore
 *   CVAT labelmap.txt     name:r,g,b:parts:actions, from id 0
 *   class_dict.csv        name,r,g,b, from id 0; or id,name, as Roboflow's `Pixel Value, Class`
 *   nnU-Net dataset.json  labels {name: id}, with `ignore`; the first version's {id: name}
 *   HF config.json        id2label {id: name}; id2label.json alone, or its inverse; dataset_info.json's ClassLabel
 *   a model's config.json vocab_size, where it has no id2label
 *   COCO                  categories [{id, name}]
 *
 * labelmap.txt and class_dict.csv give the classes colours, too. A form that is none of these is refused with what to
 * write instead: every reader of one more dialect is one more that guesses.
 *
 * The content decides the format. Known content of another kind is refused, never read as a list of odd names. The file
 * may be packed with gzip, bzip2, xz or zstd.
 *
 * Three of them are the configuration of a training, too, from which an audit takes its paths: Ultralytics' data.yaml,
 * nnU-Net's dataset.json, and Hugging Face's dataset_info.json with its data beside it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/class_set.h"
#include "base/error.h"
#include "base/settings.h"
#include "base/strbuf.h"

struct cJSON;

enum class_form { CLASS_NAMES, CLASS_CVAT, CLASS_CSV, CLASS_YAML, CLASS_JSON };

/* A file that was read and parsed. Its text has no byte order mark, and no NUL before text[size]. One thread. */
struct class_file {
	const char *option; /* that names the file, for messages: "classes" */
	const char *path;
	struct error *err;
	struct strbuf raw; /* owned */
	const char *text;  /* in raw */
	size_t size;
	enum class_form form;
	unsigned keys;        /* JSON: bits of the keys of the root; class_tree.c */
	struct cJSON *values; /* the root of YAML; of JSON the value that holds the classes; NULL: other forms; owned */
	/* the set that is filled, and the colours of its classes; NULL: they do not matter */
	struct class_set *set;
	struct colour_table *colours;
	size_t entries; /* classes added */
	/* JSON: the value of label2id, in text; NULL: none. */
	const char *inverse;
	size_t inverse_size;
	uint64_t rows; /* of a config.json without classes: its vocab_size */
};

/* Fills *err and returns STATUS_FAILED if the file is no class file. Close it all the same. */
enum status class_file_open(struct class_file *f, const char *option, const char *path, struct error *err);
/*
 * Adds the classes, their names, and the ids that the file itself ignores to s. Call class_set_finish afterwards.
 * colours: gets the colours of the classes; NULL: they do not matter.
 */
enum status class_file_add(struct class_file *f, struct class_set *s, struct colour_table *colours);
void class_file_close(struct class_file *f);
/* All three. */
enum status class_file_read(struct class_set *s, struct colour_table *colours, const char *option, const char *path,
			    struct error *err);

/*
 * Adds classes whose names stand in a list, from id 0, or in a map from ids, of a tree of small_yaml.h. path: that
 * file, for messages.
 */
enum status class_names_read(struct class_set *s, const struct cJSON *names, const char *path, struct error *err);

/* ---- the configuration of a training ----------------------------------------------------------------------------- */

enum training_kind {
	TRAINING_NONE, /* another file */
	TRAINING_ULTRALYTICS,
	TRAINING_NNUNET,
	TRAINING_HUGGING_FACE,
};

enum { TRAINING_PATHS_MAX = 1024 };

/* A folder of images, or a text with their paths, as the file has it. */
struct training_path {
	const char *key; /* train, val (also validation) or test */
	const char *value;
	size_t line;
};

/* Its words came with the data set, and are checked before they are used (cli/training_paths.c). Points into the file.
 */
struct training_config {
	enum training_kind kind;
	const char *root;      /* Ultralytics' path; NULL: not given */
	const char *masks_dir; /* NULL: YOLO texts */
	struct yolo_form yolo; /* kpt_shape, and task if it is there */
	bool mirrors;          /* flip_idx is given */
	struct training_path paths[TRAINING_PATHS_MAX];
	size_t count;
};

/* Recognises it by its name and its keys. */
void class_file_training(const struct class_file *f, struct training_config *c);
/* Fails if kpt_shape or flip_idx of a data.yaml is one that Ultralytics refuses, or that mirrors poses wrongly. */
enum status class_file_check_keypoints(const struct class_file *f);
