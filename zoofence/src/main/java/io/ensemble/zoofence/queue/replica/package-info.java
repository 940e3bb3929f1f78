/**
 * A queue replica is one instance of a queue's set, with the leader's connection to the instance
 * and the deduplication slots stored there.
 */
@NullMarked
package io.ensemble.zoofence.queue.replica;

import org.jspecify.annotations.NullMarked;
