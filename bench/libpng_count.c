/*
 * The program that a C programmer would write first: libpng's rows and one table of counts, files shared out to
 * threads. The rival that bench/race measures the program against; it checks no id and reports nothing but a total.
 *
 * usage: libpng_count THREADS <list-of-files
 */
#include <png.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_ROOM = 4096, THREADS_MAX = 256 };

static char **files;
static size_t files_count;
static atomic_size_t next_file;
static atomic_ullong labels;

static void count_file(const char *path)
{
	FILE *f = fopen(path, "rb");
	png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
	png_infop info = png ? png_create_info_struct(png) : NULL;
	uint64_t counts[256] = { 0 };

	if (!f || !info || setjmp(png_jmpbuf(png))) {
		fprintf(stderr, "libpng_count: cannot read %s\n", path);
		exit(1);
	}
	png_init_io(png, f);
	png_read_info(png, info);
	size_t width = png_get_rowbytes(png, info);
	uint32_t height = png_get_image_height(png, info);
	uint8_t *row = malloc(width);

	for (uint32_t y = 0; y < height; y++) {
		png_read_row(png, row, NULL);
		for (size_t x = 0; x < width; x++)
			counts[row[x]]++;
	}
	png_read_end(png, NULL);
	png_destroy_read_struct(&png, &info, NULL);
	free(row);
	fclose(f);
	for (size_t id = 0; id < 256; id++)
		atomic_fetch_add(&labels, counts[id]);
}

static void *work(void *unused)
{
	for (size_t i; (i = atomic_fetch_add(&next_file, 1)) < files_count;)
		count_file(files[i]);
	return unused;
}

int main(int argc, char **argv)
{
	long threads = argc == 2 ? strtol(argv[1], NULL, 10) : 0;
	pthread_t thread[THREADS_MAX];
	char path[PATH_ROOM];

	if (threads < 1 || threads > THREADS_MAX) {
		fprintf(stderr, "usage: libpng_count THREADS <list-of-files\n");
		return 2;
	}
	while (fgets(path, sizeof(path), stdin)) {
		path[strcspn(path, "\n")] = '\0';
		files = realloc(files, (files_count + 1) * sizeof(*files));
		files[files_count++] = strdup(path);
	}
	for (long i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	for (long i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("%llu\n", (unsigned long long)labels);
	return 0;
}
