#include "command/commands.h"

#include <bzlib.h>
#include <cjson/cJSON.h>
#include <libdeflate.h>
#include <lzma.h>
#include <png.h>
#include <stdbool.h>
#include <xxhash.h>
#include <yaml.h>
#include <zlib.h>
#include <zstd.h>

#include "audit/pick_device.h"
#include "base/cpu.h"
#include "base/version.h"
#include "measure/backend.h"
#include "read/raster.h"

static const char *compiler(void)
{
#if defined(__clang__)
	return __VERSION__; /* begins with its name */
#else
	return "gcc " __VERSION__;
#endif
}

static bool add_backend(const struct backend *backend, struct strbuf *out)
{
	struct error failure = ERROR_INIT;
	char text[256] = "";
	bool works = backend->probe(0, text, sizeof(text), &failure) == STATUS_OK;

	strbuf_addf(out, "  %-14s %s\n", backend->name, works ? text : failure.text);
	return works;
}

/* Loads the kernels, as an audit does: a driver may work and yet refuse them. */
static void add_kernels(const struct options *options, struct strbuf *out)
{
	struct error failure = ERROR_INIT;
	void *self;

	if (backend_cuda.open(&self, &options->settings, 0, &failure) != STATUS_OK) {
		strbuf_addf(out, "  %-14s kernels: %s\n", "", failure.text);
		return;
	}
	const char *note = backend_cuda.note(self);

	strbuf_addf(out, "  %-14s kernels: %s\n", "", note[0] ? note : backend_cuda.loaded(self));
	backend_cuda.close(self);
}

void doctor(const struct options *options, struct strbuf *out)
{
	const struct backend *picked = backend_of(options);

	strbuf_addf(out, "labelaudit       %s\n", LABELAUDIT_VERSION);
	strbuf_addf(out, "compiler         %s\n", compiler());
	strbuf_addf(out, "libpng           %s (built with %s)\n", png_get_libpng_ver(NULL), PNG_LIBPNG_VER_STRING);
	strbuf_addf(out, "zlib             %s (built with %s)\n", zlibVersion(), ZLIB_VERSION);
	strbuf_addf(out, "libdeflate       built with %s\n", LIBDEFLATE_VERSION_STRING);
	strbuf_addf(out, "libbz2           %.*s\n", (int)strcspn(BZ2_bzlibVersion(), ","), BZ2_bzlibVersion());
	strbuf_addf(out, "liblzma          %s (built with %s)\n", lzma_version_string(), LZMA_VERSION_STRING);
	strbuf_addf(out, "libzstd          %s (built with %s)\n", ZSTD_versionString(), ZSTD_VERSION_STRING);
	strbuf_addf(out, "libtiff          %s\n", tiff_library_version());
	strbuf_addf(out, "giflib           %s\n", gif_library_version());
	strbuf_addf(out, "cJSON            %s\n", cJSON_Version());
	strbuf_addf(out, "libyaml          %s\n", yaml_get_version_string());
	strbuf_addf(out, "xxHash           built with %d.%d.%d\n", XXH_VERSION_MAJOR, XXH_VERSION_MINOR,
		    XXH_VERSION_RELEASE);
	strbuf_adds(out, "CPU features     ");
	cpu_features_format(cpu_features(), out);
	strbuf_addf(out, "\nusable cores     %u\n", cpu_usable_cores());
	strbuf_adds(out, "devices\n");
	add_backend(&backend_cpu, out);
	bool gpu = add_backend(&backend_cuda, out);

	if (gpu)
		add_kernels(options, out);
	if (backend_cuda.built_for()[0])
		strbuf_addf(out, "  %-14s built for: %s\n", "", backend_cuda.built_for());
	strbuf_addf(out, "--device auto    %s%s\n", picked->name,
		    gpu && picked == &backend_cpu ? "; cuda for audits that would keep it busy for more than 10 s"
						  : "");
}
