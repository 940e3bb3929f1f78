/**
 * Records: the small texts that a catalog is made of, kept in memory, in a directory or in
 * ZooKeeper.
 */
@NullMarked
package io.ensemble.catalog.record;

import org.jspecify.annotations.NullMarked;
