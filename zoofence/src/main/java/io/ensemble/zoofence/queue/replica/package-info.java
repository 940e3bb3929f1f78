/**
 * A queue replica is one instance of a queue's set. The replica has the leader's connection to the
 * instance and reads the deduplication slots stored there.
 */
@NullMarked
package io.ensemble.zoofence.queue.replica;

import org.jspecify.annotations.NullMarked;
