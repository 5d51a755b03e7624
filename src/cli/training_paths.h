/*
 * struct taking: what cli/training_paths.c takes from a training's configuration, while it does; cli/training_lists.c
 * reads the texts of images that it names, cli/nnunet.c a dataset.json. Paths are those from its folder on. One thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "base/table.h"
#include "cli/options_table.h"
#include "read/class_file.h"

struct taking {
	struct options *o;
	struct error *err;
	const char *file; /* the configuration, as typed */
	const struct class_file *class_file;
	char *folder; /* its folder: "set/" or "." */
	int folder_fd;
	char *bases[2]; /* the folder's absolute path, as typed and without links; owned */
	const struct training_config *c;
	const struct training_path *entry; /* the current one */
	bool follow;                       /* typed: paths may lead out of the folder */
	struct owned_list folders, files;  /* of labels, from the folder on; files: of images that texts list */
	struct hash_set known;             /* the hashes of the files: two lists may name one */
	uint64_t without_label;            /* images that are listed and have no label file: they hold no object */
	struct owned_list trained;         /* folders of images of train */
	struct hash_set trained_files;     /* the hashes of the label files of lists of train */
	struct strbuf faults;              /* what the trainer stops at or trains wrongly: of training-config */
};

enum place { PLACE_ABSENT, PLACE_OUTSIDE, PLACE_FILE, PLACE_FOLDER };

#define LEADS_OUT "leads out of the folder of this file, which came with the data: pass --follow if that is meant"

/* Takes what a data.yaml declares about rows: --task wins, and the keypoints are those of a pose alone. */
void taking_take_form(struct options *o, const struct yolo_form *form);
/* Takes over path. */
void taking_push(struct owned_list *list, char *path);
/*
 * Joins two parts of a path that the file names into one from its folder on: by their names alone, so that one file has
 * one name. A path that begins at the root stays as it is unless it leads into the folder. The caller frees it.
 */
char *taking_join_named(const struct taking *t, const char *folder, const char *path);
/* Returns a path from the folder on as the user would type it; the caller frees it. */
char *taking_as_typed(const struct taking *t, const char *path);
/* Returns what a path from the folder leads to; PLACE_OUTSIDE: to what is not beneath it, and nobody said so. */
enum place taking_place_of(const struct taking *t, const char *path);
/* Returns what the folder of a path is. */
enum place taking_place_of_folder(const struct taking *t, const char *path);
/*
 * Returns the path of a file, or of a folder with a slash at its end, with its last folder called images replaced; NULL
 * if there is none. The caller frees it.
 */
char *taking_replace_images(const struct taking *t, const char *path);
/* Returns whether the current entry is one of train. */
bool taking_is_train(const struct taking *t);
/* Notes a fault, for the rule training-config. */
void taking_fault(struct taking *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Refuses the current entry. Returns STATUS_FAILED. */
enum status taking_refuse(const struct taking *t, const char *what);
/* Adds the labels of the images that a text lists, a path a line. */
enum status taking_add_list(struct taking *t, const char *path);
/* Adds a folder of labels, or a label file, unless it lies in a folder that is there already. Takes over path. */
void taking_add_labels(struct taking *t, char *path);
/* nnunet.c: adds those of a dataset.json of nnU-Net. */
enum status taking_add_nnunet(struct taking *t);
