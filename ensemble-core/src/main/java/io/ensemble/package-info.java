/**
 * Ensemble's public face: a cache manager and caches that keep Infinispan's own interfaces while
 * each cache is held by several independent Infinispan clusters, the sites, at the consistency its
 * definition asks for.
 */
@NullMarked
package io.ensemble;

import org.jspecify.annotations.NullMarked;
