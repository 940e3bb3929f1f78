/**
 * WEAK: every write is one stamped envelope that goes to each site, the nearest first, and each
 * site ends up with the highest stamp. A site is written by an atomic swap: whoever gets back
 * something newer than it wrote puts that back, so copies may arrive in any order and usually cost
 * one request each. What crashes and lost requests leave behind, a comparison of the sites by
 * stamps repairs; so copies waiting to be sent may be dropped whenever there are too many.
 */
@NullMarked
package io.ensemble.cache.weak;

import org.jspecify.annotations.NullMarked;
