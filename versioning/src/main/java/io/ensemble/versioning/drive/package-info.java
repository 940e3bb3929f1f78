/**
 * Performs the decisions of histories: opens histories, and reads and writes the entries that
 * belong to them.
 */
@NullMarked
package io.ensemble.versioning.drive;

import org.jspecify.annotations.NullMarked;
