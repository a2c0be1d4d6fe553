/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every transport must do: one table, run against each of them. */
#pragma once

#include "target/transport.h"

struct transport_bench {
	struct tp_transport *t;
	const char *dir; /* throw-away folder, the same on both sides */
};

struct transport_check {
	const char *name;
	void (*run)(const struct transport_bench *bench); /* asserts with cmocka */
};

extern const struct transport_check transport_checks[];
extern const int n_transport_checks;
