/**
 * The sequential specification of a versioned key defines additions, reads as of a version, scans
 * and compaction.
 */
@NullMarked
package io.ensemble.testkit.history.versioned;

import org.jspecify.annotations.NullMarked;
