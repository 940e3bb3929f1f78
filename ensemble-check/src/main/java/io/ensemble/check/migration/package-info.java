/**
 * The process that changes the configuration of a cache during a trial, and may die during the
 * change.
 */
@NullMarked
package io.ensemble.check.migration;

import org.jspecify.annotations.NullMarked;
