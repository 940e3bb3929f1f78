/**
 * The sites of a federation: their use and health, the choice of sites for a cache, and the drain
 * before a site leaves.
 */
@NullMarked
package io.ensemble.membership;

import org.jspecify.annotations.NullMarked;
