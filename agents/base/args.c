/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Command line flags; see args.h. */
#include "base/args.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "util/str.h"

static const char *const kind_names[] = {
    [TP_OPTION_TEXT] = "text",
    [TP_OPTION_NUMBER] = "number",
    [TP_OPTION_YESNO] = "yesno",
    [TP_OPTION_FLAG] = "flag",
};
static_assert(TP_ARRAY_SIZE(kind_names) == _TP_OPTION_MAX, "a name for each kind");

const char *tp_option_kind_name(enum tp_option_kind kind)
{
	return kind_names[kind];
}

static int parse_yesno(const char *text, long long *ret)
{
	if (strcmp(text, "yes") != 0 && strcmp(text, "no") != 0)
		return -EINVAL;
	*ret = text[0] == 'y';
	return 0;
}

static int set_value(const struct tp_option *option, const char *text, struct tp_value *value,
		     struct tp_err *reterr)
{
	value->text = text;
	switch (option->kind) {
	case TP_OPTION_TEXT:
		if (*text == '\0')
			return tp_err_set(reterr, -EINVAL, NULL, "--%s must not be empty",
					  option->name);
		break;
	case TP_OPTION_NUMBER:
		if (tp_parse_i64(text, option->min, option->max, &value->number) < 0)
			return tp_err_set(reterr, -EINVAL, NULL,
					  "--%s takes a number from %lld to %lld, not '%s'",
					  option->name, option->min, option->max, text);
		break;
	case TP_OPTION_YESNO:
		if (parse_yesno(text, &value->number) < 0)
			return tp_err_set(reterr, -EINVAL, NULL, "--%s takes yes or no, not '%s'",
					  option->name, text);
		break;
	case TP_OPTION_FLAG:
		value->number = 1;
		break;
	case _TP_OPTION_MAX:
		break;
	}
	return 0;
}

static int reset(const struct tp_option_set *set, struct tp_err *reterr)
{
	for (size_t i = 0; i < set->count; i++) {
		int r = 0;

		set->values[i] = (struct tp_value){};
		if (set->options[i].fallback)
			r = set_value(&set->options[i], set->options[i].fallback, &set->values[i],
				      reterr);
		if (r < 0)
			return r;
	}
	return 0;
}

static const struct tp_option *find(const struct tp_option_set *sets, size_t n_sets,
				    const char *name, size_t len, struct tp_value **ret_value)
{
	for (size_t s = 0; s < n_sets; s++) {
		for (size_t i = 0; i < sets[s].count; i++) {
			const struct tp_option *option = &sets[s].options[i];

			if (strlen(option->name) == len && strncmp(option->name, name, len) == 0) {
				*ret_value = &sets[s].values[i];
				return option;
			}
		}
	}
	return NULL;
}

/* Takes argv[*at], and its value behind it; *at ends on the last one taken. */
static int parse_one(int argc, char *const *argv, int *at, const struct tp_option_set *sets,
		     size_t n_sets, struct tp_err *reterr)
{
	const char *arg = argv[*at];
	const char *name = arg + 2;
	size_t len = strcspn(arg, "=");
	const char *text = arg[len] == '=' ? arg + len + 1 : NULL;
	const struct tp_option *option = NULL;
	struct tp_value *value = NULL;

	if (len > 2 && tp_str_starts(arg, "--"))
		option = find(sets, n_sets, name, len - 2, &value);
	if (!option)
		return tp_err_set(reterr, -EINVAL, NULL, "'%s' is not known here", arg);
	if (value->given)
		return tp_err_set(reterr, -EINVAL, NULL, "--%s is given twice", option->name);
	value->given = true;
	if (option->kind == TP_OPTION_FLAG && text)
		return tp_err_set(reterr, -EINVAL, NULL, "--%s takes no value", option->name);
	if (option->kind == TP_OPTION_FLAG)
		text = "yes";
	else if (!text && *at + 1 < argc)
		text = argv[++*at];
	if (!text)
		return tp_err_set(reterr, -EINVAL, NULL, "--%s needs a value", option->name);
	return set_value(option, text, value, reterr);
}

static int check_required(const struct tp_option_set *set, struct tp_err *reterr)
{
	for (size_t i = 0; i < set->count; i++) {
		if (set->options[i].required && !set->values[i].given)
			return tp_err_set(reterr, -EINVAL, NULL, "--%s is missing",
					  set->options[i].name);
	}
	return 0;
}

int tp_args_parse(int argc, char *const *argv, const struct tp_option_set *sets, size_t n_sets,
		  struct tp_err *reterr)
{
	int r = 0;

	for (size_t s = 0; r == 0 && s < n_sets; s++)
		r = reset(&sets[s], reterr);
	for (int i = 0; r == 0 && i < argc; i++)
		r = parse_one(argc, argv, &i, sets, n_sets, reterr);
	for (size_t s = 0; r == 0 && s < n_sets; s++)
		r = check_required(&sets[s], reterr);
	return r;
}
