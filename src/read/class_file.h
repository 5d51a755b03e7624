/*
 * Reads class files for --classes: the ids and names of the classes, from a file that comes with the training set or
 * the model.
 *
 *   names.txt             one name a line, from id 0; labelme's __ignore__ in the first line is -1
 *   YOLO data.yaml        names as a list or a map, nc
 *   CVAT labelmap.txt     name:r,g,b:parts:actions, from id 0
 *   Roboflow _classes.csv Pixel Value, Class
 *   nnU-Net dataset.json  labels {name: id}, with `ignore`; the first version's {id: name}
 *   HF config.json        id2label {id: name}; id2label.json alone, or its inverse
 *   COCO                  categories [{id, name}]
 *
 * The content decides the format. Known content of another kind is refused, never read as a list of odd names. The file
 * may be packed with gzip, bzip2, xz or zstd.
 */
#ifndef READ_CLASS_FILE_H
#define READ_CLASS_FILE_H

#include "base/class_set.h"
#include "base/error.h"

/* Adds the classes, their names, and the ids that the file itself ignores to s. Call class_set_finish afterwards. */
enum status class_file_read(struct class_set *s, const char *path, struct error *err);

#endif
