/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting and checking fanotify events; see fanotify_events.h. */
#include "workloads/fanotify_events.h"

#include <stdlib.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/fd.h"

#define QUEUE_PATH     "/proc/sys/fs/fanotify/max_queued_events"
#define QUEUE_BUILT_IN 16384 /* FANOTIFY_DEFAULT_MAX_EVENTS, before there was a sysctl */

static const uint64_t masks[] = {
    [TP_FANOTIFY_OPEN] = FAN_OPEN,
    [TP_FANOTIFY_READ] = FAN_ACCESS,
};
static_assert(TP_ARRAY_SIZE(masks) == _TP_FANOTIFY_TOUCH_MAX, "a mask for each touch");

uint64_t tp_fanotify_mask(enum tp_fanotify_touch touch)
{
	return masks[touch];
}

bool tp_fanotify_tally_ok(const struct tp_fanotify_tally *tally, long long items, long long passes,
			  long long queue)
{
	bool may_overflow = queue > 0 && items * passes > queue &&
			    (items > TP_FANOTIFY_MERGE_SURE || items > queue);
	bool must_overflow = queue > 0 && items > queue;

	if (tally->unexpected > 0 || tally->overflow > 1)
		return false;
	if (tally->overflow > 0)
		return may_overflow && tally->events == queue;
	if (must_overflow || tally->missing > 0)
		return false;
	if (items <= TP_FANOTIFY_MERGE_SURE)
		return tally->events == items;
	return tally->events <= items * passes;
}

static int compare_inode(const void *key, const void *member)
{
	ino_t x = *(const ino_t *)key;
	ino_t y = *(const ino_t *)member;

	return (x > y) - (x < y);
}

static bool note_file(struct tp_fanotify_arm *arm, int fd)
{
	const ino_t *found;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	found = bsearch(&st.st_ino, arm->inodes, arm->items, sizeof(*arm->inodes), compare_inode);
	if (!found)
		return false;
	arm->seen[found - arm->inodes]++;
	return true;
}

static void tally_event(struct tp_fanotify_arm *arm, const struct fanotify_event_metadata *event,
			struct tp_fanotify_tally *tally)
{
	_cleanup_(tp_fd_closep) int fd = event->fd;

	if (event->mask & FAN_Q_OVERFLOW)
		tally->overflow++;
	else if (event->mask == masks[arm->touch] && event->pid == getpid() && note_file(arm, fd))
		tally->events++;
	else
		tally->unexpected++;
}

static void drain(struct tp_fanotify_arm *arm, int group, struct tp_fanotify_tally *tally)
{
	_Alignas(struct fanotify_event_metadata) char block[2048]; /* one descriptor per event */
	ssize_t n;

	while ((n = read(group, block, sizeof(block))) > 0) {
		struct fanotify_event_metadata *event = (struct fanotify_event_metadata *)block;

		for (; FAN_EVENT_OK(event, n); event = FAN_EVENT_NEXT(event, n))
			tally_event(arm, event, tally);
	}
}

void tp_fanotify_check(struct tp_fanotify_arm *arm, int group, bool unlimited,
		       struct tp_sample *sample)
{
	long long queue = unlimited ? 0 : tp_sysctl_read(QUEUE_PATH, QUEUE_BUILT_IN);
	struct tp_fanotify_tally tally = {};

	memset(arm->seen, 0, arm->items * sizeof(*arm->seen));
	drain(arm, group, &tally);
	for (size_t i = 0; i < arm->items; i++)
		tally.missing += arm->seen[i] == 0;
	sample->semantic_ok =
	    tp_fanotify_tally_ok(&tally, (long long)arm->items, (long long)arm->passes, queue);
	tp_sample_field(sample, "events", tally.events);
	tp_sample_field(sample, "merged", tally.overflow ? 0 : sample->ops - tally.events);
	tp_sample_field(sample, "files_missing", tally.missing);
	tp_sample_field(sample, "unexpected_events", tally.unexpected);
	tp_sample_field(sample, "overflow", tally.overflow);
}
