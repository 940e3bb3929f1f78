/**
 * The caches' engines. The engine of each mode runs its protocol over the stores of its sites, on
 * encoded keys and values.
 */
@NullMarked
package io.ensemble.cache;

import org.jspecify.annotations.NullMarked;
