/**
 * Ensemble's public face: caches with Infinispan's own API that span several independent Infinispan
 * clusters, each with the consistency that it asks for: a {@link io.ensemble.Mode}.
 *
 * <p>WEAK: converges by stamp order, last writer wins; a write that only one site has yet may be
 * lost: with that site, or to an older write that arrives there later and whose answer is lost.
 *
 * <p>SWMR: linearizable per key, every single-key operation of {@code ConcurrentMap}, for one
 * writing process at a time; a second one is refused. With acknowledgement PRIMARY this holds until
 * a failover, which may drop the last writes of a bounded window, and reports them.
 *
 * <p>MWMR: linearizable per key, every single-key operation of {@code ConcurrentMap}.
 *
 * <p>In every mode {@code size}, {@code clear}, bulk operations and iteration are not atomic.
 */
@NullMarked
package io.ensemble;

import org.jspecify.annotations.NullMarked;
