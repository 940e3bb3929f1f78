/**
 * A site is the cluster at one place of the federation. Caches see named stores with reads and
 * compare-and-sets on single entries. The package is one port, implemented by sites over Hot Rod
 * and by simulated sites.
 */
@NullMarked
package io.ensemble.site;

import org.jspecify.annotations.NullMarked;
