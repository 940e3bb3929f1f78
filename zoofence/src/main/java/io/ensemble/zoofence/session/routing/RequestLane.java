package io.ensemble.zoofence.session.routing;

import io.ensemble.zoofence.flattening.InstanceSet;

/**
 * One instance or one queue, which keeps requests in order by itself. Requests of one lane follow
 * each other without waiting; requests of another lane wait until all before them have their
 * replies.
 */
public sealed interface RequestLane {
  /** At one instance, over the session's own connection. */
  record At(int instance) implements RequestLane {}

  /** Through the queue of the instances that hold a path together. */
  record Queue(InstanceSet set) implements RequestLane {}

  /** A request that waits for all requests before it, and with which no other request runs. */
  record Alone() implements RequestLane {}

  RequestLane ALONE = new Alone();
}
