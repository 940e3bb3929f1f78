/**
 * One key kept by a primary site and copied to others, and the terms of its primaries and writers:
 * requests out, answers in. Pure: no clock, no thread, no site; time and numbers are handed in.
 */
@NullMarked
package io.ensemble.primary;

import org.jspecify.annotations.NullMarked;
