/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of transport that the registry knows. For transport.c alone. */
#pragma once

#include "target/transport.h"

extern const struct tp_transport_ops tp_transport_ssh;
extern const struct tp_transport_ops tp_transport_local;
