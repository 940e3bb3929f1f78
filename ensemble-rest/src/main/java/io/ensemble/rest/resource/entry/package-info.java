/**
 * Entry endpoints read, write and list cache entries, singly, in bulk and page by page, with
 * preconditions.
 */
@NullMarked
package io.ensemble.rest.resource.entry;

import org.jspecify.annotations.NullMarked;
