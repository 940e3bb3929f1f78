/**
 * An entry of a WEAK cache: its stamp, its siblings, its encoding, and the merge that makes
 * exchanged entries equal everywhere.
 */
@NullMarked
package io.ensemble.cache.weak.entry;

import org.jspecify.annotations.NullMarked;
