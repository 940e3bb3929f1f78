package io.ensemble.site;

import java.util.ArrayDeque;

/** The slots of one kind of requests in a {@link RequestWindow}; its lock guards the fields. */
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

  /** Whether a new request may be sent immediately; it never overtakes waiting ones. */
  boolean hasRoom() {
    return inFlight < limits.inFlight() && waiting.isEmpty();
  }

  boolean isFull() {
    return !hasRoom() && waiting.size() >= limits.waiting();
  }

  /** Whether a waiting request may be sent. */
  boolean hasNext() {
    return inFlight < limits.inFlight() && !waiting.isEmpty();
  }
}
