/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A target's description from YAML; see target.h. */
#include "config/target.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/target_check.h"
#include "config/target_edit.h"
#include "config/target_schema.h"
#include "util/fd.h"
#include "util/str.h"

static void free_list(char **list, unsigned n)
{
	for (unsigned i = 0; list && i < n; i++)
		free(list[i]);
	free(list);
}

void tp_target_config_deinit(struct tp_target_config *c)
{
	char *texts[] = {
	    c->name,	      c->transport.kind,     c->transport.host,	  c->transport.user,
	    c->transport.key, c->transport.host_key, c->transport.dir,	  c->boot.kind,
	    c->boot.dir,      c->boot.grub_dir,	     c->boot.grub_prefix, c->boot.initrd,
	    c->boot.cmdline,  c->power.kind,	     c->power.socket,	  c->console.kind,
	    c->console.path,  c->kernel.seed,	     c->work_dir,
	};

	for (size_t i = 0; i < TP_ARRAY_SIZE(texts); i++)
		free(texts[i]);
	free_list(c->power.start, c->power.start_count);
	free_list(c->power.reset, c->power.reset_count);
	free_list(c->kernel.fragments, c->kernel.fragments_count);
	free_list(c->kernel.allow_config_differences, c->kernel.allow_config_differences_count);
	*c = (struct tp_target_config){};
}

/* Parse @text; @ret_text, unless NULL, gets it with the paths below @folder made absolute. */
static int parse(const char *text, size_t len, const char *origin, const char *folder,
		 struct tp_target_config *ret, char **ret_text, struct tp_err *reterr)
{
	_cleanup_(tp_target_config_deinit) struct tp_target_config config = {};
	_cleanup_(tp_doc_deinit) struct tp_doc doc = {};
	struct tp_target_config *loaded;
	char *absolute = NULL;
	void *data;
	int r = tp_doc_init(&doc, text, len, origin, reterr);

	if (r == 0)
		r = tp_schema_load(&doc, &tp_target_schema, &data, reterr);
	if (r < 0)
		return r;
	loaded = data;
	config = *loaded;
	free(loaded);
	r = tp_target_check(&doc, &config, reterr);
	if (r == 0)
		r = tp_target_resolve(&doc, folder, &config, ret_text ? &absolute : NULL, reterr);
	if (r < 0)
		return r;
	*ret = config;
	config = (struct tp_target_config){};
	if (ret_text)
		*ret_text = absolute;
	return 0;
}

int tp_target_config_parse(const char *text, const char *origin, struct tp_target_config *ret,
			   struct tp_err *reterr)
{
	return parse(text, strlen(text), origin, NULL, ret, NULL, reterr);
}

/* The folder of @path, absolute; NULL when out of memory or when there is no such folder. */
static char *folder_of(const char *path)
{
	_cleanup_(tp_freep) char *folder = strdup(path);
	char *slash;

	if (!folder)
		return NULL;
	slash = strrchr(folder, '/');
	if (!slash)
		return getcwd(NULL, 0);
	slash[slash == folder] = '\0';
	return realpath(folder, NULL);
}

int tp_target_config_load(const char *path, struct tp_target_config *ret, char **ret_text,
			  struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *text = NULL;
	_cleanup_(tp_freep) char *folder = NULL;
	size_t len;
	int r = tp_file_read(path, TP_DOC_MAX_BYTES, &text, &len, reterr);

	if (r < 0)
		return r;
	folder = folder_of(path);
	if (!folder)
		return tp_err_oom(reterr);
	return parse(text, len, path, folder, ret, ret_text, reterr);
}
