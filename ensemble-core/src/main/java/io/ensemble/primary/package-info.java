/**
 * One key kept by a primary site and copied to others, and the terms of its primaries and writers:
 * requests out, responses in. Pure: no clock, no thread, no site; the caller passes in times and
 * numbers.
 */
@NullMarked
package io.ensemble.primary;

import org.jspecify.annotations.NullMarked;
