/**
 * A site's copy of a key in SWMR: where the store holds it, its encoding, its recovery, refill and
 * repair.
 */
@NullMarked
package io.ensemble.cache.swmr.copy;

import org.jspecify.annotations.NullMarked;
