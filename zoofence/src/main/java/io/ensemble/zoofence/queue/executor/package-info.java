/**
 * The executor elects a leader for each queue, and the leader applies the queue's commands,
 * multi-step commands and subtree relocations at the instances.
 */
@NullMarked
package io.ensemble.zoofence.queue.executor;

import org.jspecify.annotations.NullMarked;
