/**
 * Infinispan's cache API, waiting and not, over the operations of any map. Knows nothing of how
 * they are done.
 */
@NullMarked
package io.ensemble.faces;

import org.jspecify.annotations.NullMarked;
