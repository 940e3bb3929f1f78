/**
 * A cache as users see it, over an engine. The package adds encoding, limits and lifespans, and
 * builds each operation of Infinispan's {@code BasicCache} from four operations of the engine. The
 * asynchronous adapter does the work; futures, blocking methods and collections are thin views of
 * it.
 */
@NullMarked
package io.ensemble.cache.adapter;

import org.jspecify.annotations.NullMarked;
