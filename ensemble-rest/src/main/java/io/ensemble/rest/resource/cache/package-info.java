/**
 * Cache endpoints create, alter, describe and explain caches, with their redundancy and their SWMR
 * terms.
 */
@NullMarked
package io.ensemble.rest.resource.cache;

import org.jspecify.annotations.NullMarked;
