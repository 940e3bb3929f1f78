/**
 * Which caches there are: their definitions with the incarnation of each site's backing store, kept
 * where all managers of a federation see them, and the order of steps in which stores are made and
 * replaced so that a crash in the middle leaves nothing that answers wrongly.
 */
@NullMarked
package io.ensemble.catalog;

import org.jspecify.annotations.NullMarked;
