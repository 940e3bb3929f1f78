/**
 * The catalog of caches: their definitions with the incarnation of each site's backing store,
 * shared by all managers of a federation. The order of the steps that create and replace stores
 * ensures that a crash in between leaves no store that answers wrongly.
 */
@NullMarked
package io.ensemble.catalog;

import org.jspecify.annotations.NullMarked;
