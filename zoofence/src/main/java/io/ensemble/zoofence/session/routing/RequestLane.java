package io.ensemble.zoofence.session.routing;

import io.ensemble.zoofence.flattening.InstanceSet;

/**
 * What keeps requests in order by itself: one instance, or one queue. Requests of one lane follow
 * each other without waiting; those of another wait until all before them have their replies.
 */
public sealed interface RequestLane {
  /** At one instance, over the session's own connection. */
  record At(int instance) implements RequestLane {}

  /** Through the queue of the instances that hold a path together. */
  record Queue(InstanceSet set) implements RequestLane {}

  /** With nothing before it and nothing beside it. */
  record Alone() implements RequestLane {}

  RequestLane ALONE = new Alone();
}
