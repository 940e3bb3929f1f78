/**
 * The change explorer enumerates the interleavings of clients and movers during one change of a
 * cache's configuration.
 */
@NullMarked
package io.ensemble.explore.change;

import org.jspecify.annotations.NullMarked;
