/**
 * A site's copy of a key in SWMR: its key in the store, its encoding, its recovery, refill and
 * repair.
 */
@NullMarked
package io.ensemble.cache.swmr.copy;

import org.jspecify.annotations.NullMarked;
