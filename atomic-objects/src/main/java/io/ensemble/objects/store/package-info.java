/**
 * Where objects are stored: what the construction needs of a cache, and the caches that give it, on
 * one Infinispan cluster, embedded or over Hot Rod, or on several through an ensemble cache.
 */
@NullMarked
package io.ensemble.objects.store;

import org.jspecify.annotations.NullMarked;
