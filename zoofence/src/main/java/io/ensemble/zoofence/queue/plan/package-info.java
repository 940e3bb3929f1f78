/**
 * A command plan lists the operations of one queue command, the instances that each operation
 * concerns, and the outcome that the client receives.
 */
@NullMarked
package io.ensemble.zoofence.queue.plan;

import org.jspecify.annotations.NullMarked;
