/**
 * WEAK: every write is one stamped envelope that goes to each site, the nearest first, and each
 * site ends up with the highest stamp. A site is written by an atomic swap. A writer that gets back
 * a newer entry than its own puts that entry back. So copies may arrive in any order and usually
 * cost one request each. A comparison of the sites by stamps repairs the effects of crashes and
 * lost requests. Waiting copies may therefore be dropped whenever there are too many.
 */
@NullMarked
package io.ensemble.cache.weak;

import org.jspecify.annotations.NullMarked;
