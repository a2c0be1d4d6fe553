/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The files of schema/ as text; their definitions are generated when the program is built. */
#pragma once

/* Entry i leads from user_version i to i + 1, and sets it. */
extern const char *const tp_schema_migrations[];
extern const int tp_schema_version;

/* The public views; made anew when this text changes. */
extern const char tp_schema_views[];

#define TP_SCHEMA_APPLICATION_ID 0x54525054 /* as in 0001_initial.sql */
