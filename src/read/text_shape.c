#include "read/text_shape.h"

#include <limits.h>
#include <string.h>
#include <strings.h>

#include "base/ascii.h"
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
					      "robots.txt", "package",  "tsconfig",   "class-descriptions" };
	static const char *const names[] = { "classes.txt",  "_classes.txt",     "classes.csv",
					     "_classes.csv", "class_names.txt",  "class_names.csv",
					     "labelmap.txt", "label_colors.txt", "obj.names",
					     "notes.txt",    "label_map.csv",    "predefined_classes.txt" };

	/* YOLO's, one line of sizes: yolo_anchors.txt; label_class_dict.csv; CUB's train_test_split.txt, CelebA's */
	static const char *const within[] = { "anchors",        "class_dict", "train_test_split",
					      "eval_partition", "submission", "fold_indices",
					      "_log." };
	char s[NAME_MAX + 1];
	size_t n = 0;

	for (; n < NAME_MAX && name[n]; n++)
		s[n] = ascii_tolower(name[n]);
	s[n] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(begins); i++)
		if (s[0] == begins[i][0] && !strncmp(s, begins[i], strlen(begins[i])))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (s[0] == names[i][0] && !strcmp(s, names[i]))
			return true;
	for (size_t i = 0; i < ARRAY_SIZE(within); i++)
		if (strstr(s, within[i]))
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

	const char *extension = file_name_extension(name);

	for (size_t i = 0; *extension && extensions[i]; i++)
		if (ascii_tolower(extension[1]) == extensions[i][1] && !strcasecmp(extension, extensions[i]))
			return true;
	return false;
}
