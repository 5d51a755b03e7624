#include "read/text_shape.h"

#include <string.h>
#include <strings.h>

#include "base/file_name.h"
#include "base/mem.h"

bool text_is_multi_label(const char *name, const uint8_t *head, size_t n)
{
	return !strcmp(name, "_classes.csv") && n > 9 && !memcmp(head, "filename,", 9);
}

bool is_name_of_notes(const char *name)
{
	static const char *const begins[] = { "readme",     "license",  "licence",    "copying",
					      "changelog",  "citation", "cmakelists", "requirements",
					      "robots.txt", "package",  "tsconfig" };
	static const char *const names[] = { "classes.txt",  "_classes.txt",     "classes.csv",
					     "_classes.csv", "class_names.txt",  "class_names.csv",
					     "labelmap.txt", "label_colors.txt", "obj.names",
					     "notes.txt",    "label_map.csv",    "predefined_classes.txt" };

	/* YOLO's, one line of sizes: yolo_anchors.txt; label_class_dict.csv; CUB's train_test_split.txt, CelebA's */
	static const char *const within[] = { "anchors",        "class_dict", "train_test_split",
					      "eval_partition", "submission", "fold_indices",
					      "_log." };

	for (size_t i = 0; i < ARRAY_SIZE(within); i++)
		if (strcasestr(name, within[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (!strncasecmp(name, begins[i], strlen(begins[i])))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcasecmp(name, names[i]))
			return true;
	return false;
}

bool is_name_of_source(const char *name)
{
	static const char *const extensions[] = {
		".c",     ".h",     ".cc",   ".cpp",   ".cxx",   ".hpp",      ".cu",    ".cuh",  ".inc",   ".py",
		".pyi",   ".ipynb", ".m",    ".r",     ".jl",    ".lua",      ".js",    ".mjs",  ".ts",    ".tsx",
		".jsx",   ".java",  ".kt",   ".go",    ".rs",    ".rb",       ".pl",    ".php",  ".cs",    ".swift",
		".scala", ".sh",    ".bash", ".bat",   ".ps1",   ".sql",      ".html",  ".htm",  ".css",   ".md",
		".rst",   ".tex",   ".yaml", ".yml",   ".toml",  ".ini",      ".cfg",   ".conf", ".cmake", ".mk",
		".diff",  ".patch", ".log",  ".pbtxt", ".proto", ".prototxt", ".marks", ".make", NULL,
	};

	return file_name_ends_in_any(name, extensions);
}
