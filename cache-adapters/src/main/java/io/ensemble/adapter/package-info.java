/**
 * Infinispan's cache API, waiting and not, over the operations of any map. Knows nothing of how
 * they are done.
 */
@NullMarked
package io.ensemble.adapter;

import org.jspecify.annotations.NullMarked;
