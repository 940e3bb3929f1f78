/**
 * Operation endpoints report long-running changes of caches and partitions, and drains of sites,
 * from the catalog.
 */
@NullMarked
package io.ensemble.rest.resource.operation;

import org.jspecify.annotations.NullMarked;
