/*
 * Reads class files for --classes: the ids and names of the classes, from a file that comes with the training set or
 * the model.
 *
 *   names.txt             one name a line, from id 0; labelme's __ignore__ in the first line is -1
 *   YOLO data.yaml        names as a list or a map, nc; label_mapping {id in files: class}
 *   labelaudit.yaml       classes {id: name}, a count or ids; ignore
 *   CVAT labelmap.txt     name:r,g,b:parts:actions, from id 0
 *   class_dict.csv        name,r,g,b, from id 0; or id,name, as Roboflow's `Pixel Value, Class`
 *   nnU-Net dataset.json  labels {name: id}, with `ignore`; the first version's {id: name}
 *   HF config.json        id2label {id: name}; id2label.json alone, or its inverse; dataset_info.json's ClassLabel
 *   COCO                  categories [{id, name}]
 *
 * labelmap.txt and class_dict.csv give the classes colours, too. A form that is none of these is refused with what to
 * write instead: every reader of one more dialect is one more that guesses.
 *
 * The content decides the format. Known content of another kind is refused, never read as a list of odd names. The file
 * may be packed with gzip, bzip2, xz or zstd.
 */
#pragma once

#include "base/class_set.h"
#include "base/error.h"

/*
 * Adds the classes, their names, and the ids that the file itself ignores to s. Call class_set_finish afterwards.
 * colours: gets the colours of the classes; NULL: they do not matter. option: that names the file, for messages.
 */
enum status class_file_read(struct class_set *s, struct colour_table *colours, const char *option, const char *path,
			    struct error *err);
