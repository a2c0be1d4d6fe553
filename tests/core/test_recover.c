/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a restart makes of each step and of a boot in each state, for every answer of the target. */
#include "core_helper.h"

#include "core/recover.h"

static void policies(void **state)
{
	(void)state;
	assert_int_equal(tp_recover_policy(TP_STEP_BUILD), TP_RECOVER_RERUN);
	assert_int_equal(tp_recover_policy(TP_STEP_DEPLOY), TP_RECOVER_PROBE);
	assert_int_equal(tp_recover_policy(TP_STEP_ARM), TP_RECOVER_PROBE);
	assert_int_equal(tp_recover_policy(TP_STEP_BOOT), TP_RECOVER_PROBE);
	assert_int_equal(tp_recover_policy(TP_STEP_MEASURE), TP_RECOVER_DISCARD);
	assert_int_equal(tp_recover_policy(TP_STEP_JUDGE), TP_RECOVER_RERUN);
	assert_int_equal(tp_recover_policy(TP_STEP_CLEAN), TP_RECOVER_RERUN);
	assert_int_equal(tp_recover_policy(_TP_STEP_KIND_MAX), TP_RECOVER_DISCARD);
}

/* All 32 answers. */
static struct tp_probe answer(int bits)
{
	return (struct tp_probe){
	    .reachable = bits & 1,
	    .boot_id_changed = bits & 2,
	    .token_matches = bits & 4,
	    .installed = bits & 8,
	    .armed = bits & 16,
	};
}

/* Bits that must be 1 and bits that must be 0 for the boot to go on; all else discards it. */
static void assert_goes_on_with(enum tp_boot_state boot, int ones, int zeros)
{
	for (int bits = 0; bits < 32; bits++) {
		struct tp_probe probe = answer(bits);
		bool goes_on = (bits & ones) == ones && (bits & zeros) == 0;
		enum tp_boot_state to = tp_recover_boot(boot, &probe);

		if (to != (goes_on ? boot : TP_BOOT_DISCARDED))
			fail_msg("%s with answer %d became %s", tp_boot_state_name(boot), bits,
				 tp_boot_state_name(to));
	}
}

static void unfinished_boots_go_on_where_the_target_proves_it(void **state)
{
	(void)state;
	assert_goes_on_with(TP_BOOT_PLANNED, 0, 0);
	assert_goes_on_with(TP_BOOT_INSTALLED, 1 | 8, 0);
	assert_goes_on_with(TP_BOOT_ARMED, 1 | 8 | 16, 2);
	assert_goes_on_with(TP_BOOT_REBOOTING, 1 | 2 | 4, 0);
	assert_goes_on_with(TP_BOOT_IDENTIFIED, 1 | 2 | 4, 0);
}

static void half_a_measurement_is_never_kept(void **state)
{
	(void)state;
	for (int bits = 0; bits < 32; bits++) {
		struct tp_probe probe = answer(bits);

		assert_int_equal(tp_recover_boot(TP_BOOT_MEASURING, &probe), TP_BOOT_DISCARDED);
	}
}

static void finished_boots_stay_as_they_are(void **state)
{
	(void)state;
	assert_goes_on_with(TP_BOOT_COMPLETE, 0, 0);
	assert_goes_on_with(TP_BOOT_FAILED, 0, 0);
	assert_goes_on_with(TP_BOOT_DISCARDED, 0, 0);
}

/* Whatever recovery decides, the store's transition table lets it be recorded. */
static void every_move_is_a_legal_one(void **state)
{
	(void)state;
	for (int from = 0; from < _TP_BOOT_STATE_MAX; from++) {
		for (int bits = 0; bits < 32; bits++) {
			struct tp_probe probe = answer(bits);
			enum tp_boot_state boot = (enum tp_boot_state)from;
			enum tp_boot_state to = tp_recover_boot(boot, &probe);

			assert_true(to == boot || tp_boot_state_may(boot, to));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(policies),
	    cmocka_unit_test(unfinished_boots_go_on_where_the_target_proves_it),
	    cmocka_unit_test(half_a_measurement_is_never_kept),
	    cmocka_unit_test(finished_boots_stay_as_they_are),
	    cmocka_unit_test(every_move_is_a_legal_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
