/**
 * The engine of primary copies: runs {@link io.ensemble.primary} over the stores of its sites,
 * under terms that an MWMR register in the same stores keeps.
 */
@NullMarked
package io.ensemble.cache.swmr;

import org.jspecify.annotations.NullMarked;
