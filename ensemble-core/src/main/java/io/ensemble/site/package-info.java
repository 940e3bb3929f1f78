/**
 * A site, the cluster at one place of the federation, as the caches see it: named stores with reads
 * and compare-and-sets on single entries. One port; sites over Hot Rod and simulated sites stand
 * behind it.
 */
@NullMarked
package io.ensemble.site;

import org.jspecify.annotations.NullMarked;
