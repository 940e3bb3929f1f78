/**
 * A site as the catalog describes it: endpoints, credentials by reference, state; admission and
 * connection settings follow from the entry.
 */
@NullMarked
package io.ensemble.catalog.site;

import org.jspecify.annotations.NullMarked;
