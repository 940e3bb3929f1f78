/**
 * The store of objects: the operations that the protocol needs from a cache, and the caches that
 * provide them. These are one Infinispan cluster, embedded or over Hot Rod, or several clusters
 * through an Ensemble cache.
 */
@NullMarked
package io.ensemble.objects.store;

import org.jspecify.annotations.NullMarked;
