#include "layout/probe.h"

#include <string.h>

#include "base/file_name.h"
#include "base/mem.h"
#include "find/member_folders.h"

bool is_png_name(const char *name)
{
	return file_name_ends_in(name, ".png");
}

bool is_array_name(const char *name)
{
	return file_name_ends_in(name, ".npy");
}

bool content_is_photo(enum content content)
{
	return content == CONTENT_JPEG || content == CONTENT_GIF || content == CONTENT_BMP || content == CONTENT_TIFF ||
	       content == CONTENT_NETPBM || content == CONTENT_WEBP || content == CONTENT_WEBP_LOSSY ||
	       content == CONTENT_HEIF;
}

struct file_head entry_head(const struct entry *entry, const uint8_t *head, size_t n)
{
	return (struct file_head){ .path = entry->member ? entry->member : entry->path,
				   .name = file_name_of(entry->member ? entry->member : entry->path),
				   .content = identify(head, n),
				   .head = head,
				   .n = n,
				   .is_explicit = entry->is_explicit || entry->standard_input,
				   .has_photo_name = is_image_name(entry->name) };
}

const char *entry_inner_path(const struct entry *entry)
{
	return entry->member ? entry->member : entry->path + entry->rel_offset;
}

const char *entry_place(const struct entry *entry, struct strbuf *room)
{
	if (!entry->member)
		return entry->path;
	strbuf_clear(room);
	strbuf_addf(room, "%s/%s", entry->path, member_name_plain(entry->member));
	return room->s;
}

void probe_init(struct entry_probe *p)
{
	p->file.fd = -1;
	p->is_packed = false;
}

void probe_close(struct entry_probe *p)
{
	peek_close(&p->file);
}

bool probe_entry(struct entry_probe *p, const struct entry *entry, struct fault *fault)
{
	const uint8_t *head = entry->member && entry->bytes_len ? entry->bytes : p->file.head;

	if (p->file.fd >= 0)
		return true;
	if (!entry->member && !peek_open(&p->file, entry->dirfd, entry->name, entry->path, fault))
		return false;
	p->head = entry_head(entry, head, entry->member ? MIN(entry->bytes_len, (size_t)PEEK_BYTES) : p->file.n);
	p->is_packed = content_packing(p->head.content) != PACKING_NONE;
	if (!p->is_packed)
		return true;
	int64_t n = entry->member ? unpack_head(entry->bytes, entry->bytes_len, p->unpacked, PEEK_BYTES, fault)
				  : peek_unpack(&p->file, p->unpacked, fault);

	if (n < 0)
		return false;
	p->head = entry_head(entry, p->unpacked, (size_t)n);
	return true;
}

const struct text_look *probe_text(struct entry_probe *p, const struct settings *settings)
{
	const uint8_t form = settings->list.box_form;

	if (!p->head.text) {
		text_look((const char *)p->head.head, p->head.n, p->head.n < PEEK_BYTES, &p->text);
		if (form)
			text_declare_form(&p->text, &box_forms[form - 1]);
		p->head.text = &p->text;
	}
	return p->head.text;
}
