/**
 * A version index lists the versions of one key, with entries, shards, the locations of values, and
 * their encodings.
 */
@NullMarked
package io.ensemble.versioning.index;

import org.jspecify.annotations.NullMarked;
