/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The simulated machine's folder; see fake.h. */
#include "target/fake.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "util/clock.h"
#include "util/fd.h"
#include "util/str.h"

#define RESCUE_RELEASE	"6.1.0-rescue"
#define RESCUE_BUILD_ID "00000000000000000000000000000000000000aa"
#define STATE_MAX	(1 << 20)
#define SPEED_NORMAL	100

void tp_fake_new_boot_id(struct tp_fake_state *state)
{
	unsigned char r[16];

	if (getrandom(r, sizeof(r), 0) != sizeof(r))
		memset(r, (int)state->boots, sizeof(r));
	snprintf(state->boot_id, sizeof(state->boot_id),
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", r[0], r[1],
		 r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11], r[12], r[13], r[14],
		 r[15]);
	state->booted_wall_ms = tp_clock_wall_ms();
}

void tp_fake_boot_rescue(struct tp_fake_state *state)
{
	tp_fake_new_boot_id(state);
	state->on = true;
	state->speed = SPEED_NORMAL;
	state->token[0] = '\0';
	snprintf(state->release, sizeof(state->release), RESCUE_RELEASE);
	snprintf(state->build_id, sizeof(state->build_id), RESCUE_BUILD_ID);
}

struct tp_fake_kernel *tp_fake_find(struct tp_fake_state *state, const char *image)
{
	for (int i = 0; i < TP_FAKE_MAX_KERNELS; i++) {
		if (strcmp(state->kernels[i].image, image) == 0)
			return &state->kernels[i];
	}
	return NULL;
}

static void copy_text(json_t *object, const char *key, char *ret, size_t size)
{
	const char *text = json_string_value(json_object_get(object, key));

	snprintf(ret, size, "%s", text ? text : "");
}

static int64_t get_number(json_t *object, const char *key)
{
	return json_integer_value(json_object_get(object, key));
}

static void read_state(json_t *json, struct tp_fake_state *s)
{
	json_t *kernel;
	size_t i;

	*s = (struct tp_fake_state){
	    .on = json_is_true(json_object_get(json, "on")),
	    .boots = get_number(json, "boots"),
	    .runs = get_number(json, "runs"),
	    .installs = get_number(json, "installs"),
	    .booted_wall_ms = get_number(json, "booted_wall_ms"),
	    .speed = get_number(json, "speed"),
	    .microcode = get_number(json, "microcode"),
	};
	copy_text(json, "boot_id", s->boot_id, sizeof(s->boot_id));
	copy_text(json, "release", s->release, sizeof(s->release));
	copy_text(json, "build_id", s->build_id, sizeof(s->build_id));
	copy_text(json, "token", s->token, sizeof(s->token));
	copy_text(json, "armed_token", s->armed_token, sizeof(s->armed_token));
	copy_text(json, "armed_image", s->armed_image, sizeof(s->armed_image));
	json_array_foreach(json_object_get(json, "kernels"), i, kernel)
	{
		if (i >= TP_FAKE_MAX_KERNELS)
			break;
		copy_text(kernel, "image", s->kernels[i].image, sizeof(s->kernels[i].image));
		s->kernels[i].speed = get_number(kernel, "speed");
	}
}

int tp_fake_load(const char *dir, struct tp_fake_state *ret, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/state.json", dir);
	_cleanup_(tp_freep) char *text = NULL;
	json_t *json;
	int r = path ? tp_dir_make(dir, 0750, reterr) : tp_err_oom(reterr);

	if (r < 0)
		return r;
	if (!tp_path_exists(path)) {
		*ret = (struct tp_fake_state){};
		tp_fake_boot_rescue(ret);
		return tp_fake_save(dir, ret, reterr);
	}
	r = tp_file_read(path, STATE_MAX, &text, NULL, reterr);
	if (r < 0)
		return r;
	json = json_loads(text, 0, NULL);
	if (!json)
		return tp_err_set(reterr, -EBADMSG, NULL, "%s is no state of a simulated machine",
				  path);
	read_state(json, ret);
	json_decref(json);
	return 0;
}

static json_t *pack_kernels(const struct tp_fake_state *s)
{
	json_t *array = json_array();

	for (int i = 0; i < TP_FAKE_MAX_KERNELS; i++) {
		if (s->kernels[i].image[0])
			json_array_append_new(array,
					      json_pack("{ss, sI}", "image", s->kernels[i].image,
							"speed", (json_int_t)s->kernels[i].speed));
	}
	return array;
}

int tp_fake_save(const char *dir, const struct tp_fake_state *s, struct tp_err *reterr)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/state.json", dir);
	_cleanup_(tp_freep) char *text = NULL;
	json_t *json = json_pack(
	    "{sb, sI, sI, sI, sI, sI, sI, ss, ss, ss, ss, ss, ss, so}", "on", s->on, "boots",
	    (json_int_t)s->boots, "runs", (json_int_t)s->runs, "installs", (json_int_t)s->installs,
	    "booted_wall_ms", (json_int_t)s->booted_wall_ms, "speed", (json_int_t)s->speed,
	    "microcode", (json_int_t)s->microcode, "boot_id", s->boot_id, "release", s->release,
	    "build_id", s->build_id, "token", s->token, "armed_token", s->armed_token,
	    "armed_image", s->armed_image, "kernels", pack_kernels(s));

	text = json ? json_dumps(json, JSON_INDENT(2)) : NULL;
	json_decref(json);
	if (!path || !text)
		return tp_err_oom(reterr);
	return tp_file_write(path, text, strlen(text), 0640, reterr);
}

/* One line of the faults: WHAT, or WHAT N FAULT. */
static bool line_matches(char *line, const char *what, int64_t n, char *ret, size_t size)
{
	char word[32] = "", fault[64] = "";
	long long number = 0;
	int fields = sscanf(line, "%31s %lld %63s", word, &number, fault);

	if (fields < 1 || word[0] == '#' || strcmp(word, what) != 0)
		return false;
	if (n == 0) {
		snprintf(ret, size, "%s", word);
		return true;
	}
	if (fields < 3 || number != n)
		return false;
	snprintf(ret, size, "%s", fault);
	return true;
}

void tp_fake_fault(const char *dir, const char *what, int64_t n, char *ret, size_t size)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/faults", dir);
	_cleanup_(tp_freep) char *text = NULL;
	char *save = NULL;

	ret[0] = '\0';
	if (!path || tp_file_read(path, STATE_MAX, &text, NULL, NULL) < 0)
		return;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (line_matches(line, what, n, ret, size))
			return;
	}
}

/* The number behind @mark in a file that is read in pieces; 0 for none. */
static int64_t find_number(const char *dir, const char *name, const char *mark)
{
	_cleanup_(tp_freep) char *path = tp_strf("%s/%s", dir, name);
	_cleanup_(tp_file_closep) FILE *f = path ? fopen(path, "re") : NULL;
	char block[65536 + 64];
	size_t have = 0, n;

	while (f && (n = fread(block + have, 1, 65536, f)) > 0) {
		char *at;

		have += n;
		block[have] = '\0';
		at = memmem(block, have, mark, strlen(mark));
		if (at && (at + strlen(mark) + 12 < block + have || feof(f)))
			return strtoll(at + strlen(mark), NULL, 10);
		n = have < 48 ? have : 48; /* a mark may lie across two pieces */
		memmove(block, block + have - n, n);
		have = n;
	}
	return 0;
}

int64_t tp_fake_speed(const char *artifact_dir)
{
	int64_t speed = find_number(artifact_dir, "System.map", "toy_speed_");

	if (speed <= 0)
		speed = find_number(artifact_dir, "vmlinux", "toy-speed=");
	if (speed <= 0)
		speed = find_number(artifact_dir, "bzImage", "toy-speed=");
	return speed > 0 ? speed : SPEED_NORMAL;
}
