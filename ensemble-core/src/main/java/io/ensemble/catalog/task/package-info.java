/**
 * Tasks that one process at a time does for the federation, as the catalog records their owners.
 */
@NullMarked
package io.ensemble.catalog.task;

import org.jspecify.annotations.NullMarked;
