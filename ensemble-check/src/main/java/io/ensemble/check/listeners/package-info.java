/** Listeners in processes of their own, which read the streams of changes of a cache under test. */
@NullMarked
package io.ensemble.check.listeners;

import org.jspecify.annotations.NullMarked;
