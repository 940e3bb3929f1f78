/**
 * The judgements of {@code ./ensemble doctor}: what was seen of a federation becomes findings, each
 * with a severity and a remedy. Pure: the packages that ask sites and files hand in what they saw,
 * and the present time.
 */
@NullMarked
package io.ensemble.check.doctor;

import org.jspecify.annotations.NullMarked;
