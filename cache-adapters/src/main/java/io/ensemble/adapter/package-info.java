/**
 * Infinispan's cache API, blocking and asynchronous, over the operations of any map. The package is
 * independent of how these operations are implemented.
 */
@NullMarked
package io.ensemble.adapter;

import org.jspecify.annotations.NullMarked;
