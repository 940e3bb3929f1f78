/**
 * The caches' engines: each mode drives its protocol over the stores of its sites, on keys and
 * values that are already bytes.
 */
@NullMarked
package io.ensemble.cache;

import org.jspecify.annotations.NullMarked;
