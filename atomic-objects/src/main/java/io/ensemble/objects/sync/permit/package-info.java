/**
 * Locks, semaphores and elections share one state machine of permits: holders, a queue of waiting
 * requests, and detection of failed holders.
 */
@NullMarked
package io.ensemble.objects.sync.permit;

import org.jspecify.annotations.NullMarked;
