/**
 * Commands that copy the caches of a federation to a directory or a bucket, and restore them from
 * it.
 */
@NullMarked
package io.ensemble.cli.backup;

import org.jspecify.annotations.NullMarked;
