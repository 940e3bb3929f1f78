/**
 * A cache as users see it, over an engine: encoding, limits, lifespans, and each operation of
 * Infinispan's {@code BasicCache} in terms of four of the engine's. The asynchronous face does the
 * work; futures, blocking methods and collections are thin views of it.
 */
@NullMarked
package io.ensemble.cache.adapter;

import org.jspecify.annotations.NullMarked;
