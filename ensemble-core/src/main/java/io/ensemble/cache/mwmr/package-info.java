/**
 * MWMR caches: each key is a register of {@link io.ensemble.register}, each site's store one of its
 * acceptors. The engine drives one protocol operation for each call; writers of one key in one
 * process take turns.
 */
@NullMarked
package io.ensemble.cache.mwmr;

import org.jspecify.annotations.NullMarked;
