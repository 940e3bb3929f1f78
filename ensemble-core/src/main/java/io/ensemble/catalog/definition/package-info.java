/**
 * Definitions of caches, plain and distributed, as the catalog stores them, with placements and a
 * compare-and-set for each change.
 */
@NullMarked
package io.ensemble.catalog.definition;

import org.jspecify.annotations.NullMarked;
