/**
 * The engine of primary copies: drives {@link io.ensemble.primary} over the stores of its sites,
 * under terms that an MWMR register keeps. No mode opens it yet.
 */
@NullMarked
package io.ensemble.cache.swmr;

import org.jspecify.annotations.NullMarked;
