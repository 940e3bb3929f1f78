/**
 * Locks, semaphores and elections share one state machine of permits, with their holders, waiters
 * and failed-holder detection.
 */
@NullMarked
package io.ensemble.objects.sync.permit;

import org.jspecify.annotations.NullMarked;
