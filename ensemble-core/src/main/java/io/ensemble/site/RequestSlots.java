package io.ensemble.site;

import java.util.ArrayDeque;

/**
 * The places that one kind of requests has in a {@link RequestWindow}, whose lock its fields belong
 * to.
 */
final class RequestSlots {

  final ArrayDeque<SiteRequest<?>> waiting = new ArrayDeque<>();
  private final SiteLimits limits;
  private int inFlight;

  RequestSlots(SiteLimits limits) {
    this.limits = limits;
  }

  int inFlight() {
    return inFlight;
  }

  void occupy() {
    inFlight++;
  }

  void vacate() {
    inFlight--;
  }

  /** Whether a new request may go out at once; it never overtakes those that wait. */
  boolean hasRoom() {
    return inFlight < limits.inFlight() && waiting.isEmpty();
  }

  boolean isFull() {
    return !hasRoom() && waiting.size() >= limits.waiting();
  }

  /** Whether one that waits may go out. */
  boolean hasNext() {
    return inFlight < limits.inFlight() && !waiting.isEmpty();
  }
}
