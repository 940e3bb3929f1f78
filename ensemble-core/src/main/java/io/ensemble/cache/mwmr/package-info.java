/**
 * MWMR caches: each key is a register of {@link io.ensemble.register}, and each site's store is one
 * of its acceptors. The engine runs one protocol operation for each call; writers of one key in one
 * process take turns.
 */
@NullMarked
package io.ensemble.cache.mwmr;

import org.jspecify.annotations.NullMarked;
