/** Listeners are notified of the values of an object that a process sees. */
@NullMarked
package io.ensemble.objects.sync.listener;

import org.jspecify.annotations.NullMarked;
