/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A team of pinned threads; see team.h. */
#include "workloads/team.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Locked memory is precious on small targets; the workers' frames are small. */
#define STACK_BYTES (256 * 1024)

struct worker {
	struct tp_team *team;
	pthread_t thread;
	size_t index;
	int cpu;
	bool affinity_ok;
	int64_t preemptions;
	sem_t go;
};

struct tp_team {
	struct worker *workers;
	size_t count; /* threads that run */
	bool exclusive;
	struct tp_team_job *job; /* NULL asks the workers to end */
	sem_t done;
	_Atomic uint64_t arrived; /* at the start line, over all jobs */
	uint64_t line;		  /* value of arrived that opens it */
};

static bool on_own_cpu(const struct worker *w)
{
	cpu_set_t sets[8] = {}; /* 8192 CPUs: the most that x86-64 kernels are built for */

	if (sched_getaffinity(0, sizeof(sets), sets) < 0)
		return false;
	return sched_getcpu() == w->cpu && CPU_COUNT_S(sizeof(sets), sets) == 1 &&
	       CPU_ISSET_S(w->cpu, sizeof(sets), sets);
}

static void wait_at_start_line(struct tp_team *team)
{
	atomic_fetch_add(&team->arrived, 1);
	while (atomic_load(&team->arrived) < team->line) {
		if (!team->exclusive)
			sched_yield();
	}
}

static int64_t count_preemptions(void)
{
	struct rusage usage = {};

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nivcsw;
}

static void wait_for(sem_t *sem)
{
	while (sem_wait(sem) < 0 && errno == EINTR)
		;
}

static void *worker_main(void *data)
{
	struct worker *w = data;
	struct tp_team *team = w->team;

	for (;;) {
		wait_for(&w->go);
		if (!team->job)
			return NULL;
		w->affinity_ok = on_own_cpu(w);
		wait_at_start_line(team);
		w->preemptions = -count_preemptions();
		team->job->run(team->job, w->index);
		w->preemptions += count_preemptions();
		w->affinity_ok = on_own_cpu(w) && w->affinity_ok;
		sem_post(&team->done);
	}
}

static int start_pinned(struct worker *w)
{
	size_t size = CPU_ALLOC_SIZE(w->cpu + 1);
	cpu_set_t *set = CPU_ALLOC(w->cpu + 1);
	pthread_attr_t attr;
	int r;

	if (!set)
		return ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S(w->cpu, size, set);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	r = pthread_attr_setaffinity_np(&attr, size, set);
	if (r == 0)
		r = pthread_create(&w->thread, &attr, worker_main, w);
	pthread_attr_destroy(&attr);
	CPU_FREE(set);
	return r;
}

/* Signals belong to the main thread: a worker never sees one in a timed region. */
static int start_worker(struct tp_team *team, int cpu)
{
	struct worker *w = &team->workers[team->count];
	sigset_t all, before;
	int r;

	*w = (struct worker){.team = team, .index = team->count, .cpu = cpu};
	sem_init(&w->go, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	r = start_pinned(w);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (r != 0) {
		sem_destroy(&w->go);
		return -r;
	}
	team->count++;
	return 0;
}

static bool all_different(const struct worker *workers, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (workers[i].cpu == workers[j].cpu)
				return false;
		}
	}
	return true;
}

int tp_team_new(const struct tp_cpulist *cpus, size_t count, struct tp_team **ret_team,
		struct tp_err *reterr)
{
	struct tp_team *team = calloc(1, sizeof(*team));

	if (team)
		team->workers = calloc(count, sizeof(*team->workers));
	if (!team || !team->workers) {
		free(team);
		return tp_err_oom(reterr);
	}
	sem_init(&team->done, 0, 0);
	for (size_t i = 0; i < count; i++) {
		int cpu = cpus->cpus[i % cpus->count];
		int r = start_worker(team, cpu);

		if (r < 0) {
			tp_team_free(team);
			return tp_err_set(reterr, r, NULL, "cannot start a worker on CPU %d: %s",
					  cpu, strerror(-r));
		}
	}
	team->exclusive = all_different(team->workers, count);
	*ret_team = team;
	return 0;
}

struct tp_team *tp_team_free(struct tp_team *team)
{
	if (!team)
		return NULL;
	team->job = NULL;
	for (size_t i = 0; i < team->count; i++)
		sem_post(&team->workers[i].go);
	for (size_t i = 0; i < team->count; i++) {
		pthread_join(team->workers[i].thread, NULL);
		sem_destroy(&team->workers[i].go);
	}
	sem_destroy(&team->done);
	free(team->workers);
	free(team);
	return NULL;
}

bool tp_team_run(struct tp_team *team, struct tp_team_job *job, size_t count)
{
	bool affinity_ok = true;

	team->job = job;
	team->line = atomic_load(&team->arrived) + count;
	for (size_t i = 0; i < count; i++)
		sem_post(&team->workers[i].go);
	for (size_t i = 0; i < count; i++)
		wait_for(&team->done);
	for (size_t i = 0; i < count; i++)
		affinity_ok = affinity_ok && team->workers[i].affinity_ok;
	return affinity_ok;
}

int64_t tp_team_preemptions(const struct tp_team *team, size_t count)
{
	int64_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += team->workers[i].preemptions;
	return sum;
}

int tp_team_cpus(const char *text, size_t workers, struct tp_cpulist *ret_cpus,
		 struct tp_err *reterr)
{
	struct tp_cpulist allowed, cpus;
	int stranger;
	int r = tp_cpulist_allowed(&allowed);

	if (r < 0)
		return tp_err_set(reterr, r, NULL, "cannot read the allowed CPUs: %s",
				  strerror(-r));
	if (!text) {
		*ret_cpus = allowed;
		ret_cpus->count = workers < allowed.count ? workers : allowed.count;
		return 0;
	}
	r = tp_cpulist_parse(text, &cpus);
	if (r < 0)
		return tp_err_set(reterr, r, NULL, "--cpus takes a list such as 0-3,8, not '%s'",
				  text);
	stranger = tp_cpulist_stranger(&cpus, &allowed);
	if (stranger >= 0)
		return tp_err_set(reterr, -EINVAL, NULL,
				  "CPU %d of --cpus is not one that this process may run on",
				  stranger);
	*ret_cpus = cpus;
	return 0;
}
