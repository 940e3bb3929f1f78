/**
 * The process that changes the configuration of a cache during a trial, and may die in the middle
 * of that.
 */
@NullMarked
package io.ensemble.check.migration;

import org.jspecify.annotations.NullMarked;
