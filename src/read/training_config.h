/*
 * struct training_config: a training's own configuration, from which an audit takes its paths:
 *
 *   Ultralytics  data.yaml: path, train, val, test, masks_dir
 *   nnU-Net      dataset.json, whose labels lie in labelsTr
 *   Hugging Face dataset_info.json, with its data beside it
 *
 * Its classes are read as a class file (read/class_file.h). It is recognised by its name and its keys. It came with the
 * data set, so what it says is checked before it is used (cli/training_paths.c).
 */
#pragma once

#include <stddef.h>

enum training_kind {
	TRAINING_NONE, /* another file */
	TRAINING_ULTRALYTICS,
	TRAINING_NNUNET,
	TRAINING_HUGGING_FACE,
};

/* A folder of images, or a text with their paths, as the file has it. */
struct training_path {
	const char *key; /* train, val or test */
	char *value;     /* owned */
	size_t line;
};

struct training_config {
	enum training_kind kind;
	char *root;      /* Ultralytics' path; NULL: not given; owned */
	char *masks_dir; /* NULL: YOLO texts; owned */
	struct training_path *paths;
	size_t count, cap;
};

/* Reads the file if it is a training's configuration; else, or if it is broken, the kind is TRAINING_NONE. */
void training_config_read(struct training_config *c, const char *path);
void training_config_release(struct training_config *c);
