package io.ensemble.zoofence.session;

/** Keeps a client from asking for more at a time than a session takes. */
final class Throttle {
  /** As many requests of one client as may wait or run. */
  static final int MOST_REQUESTS = 1000;

  private final Session.Client client;
  private boolean paused;

  Throttle(Session.Client client) {
    this.client = client;
  }

  /** So many of its requests wait or run: no more are read while that is too many. */
  void holds(int requests) {
    boolean full = requests >= MOST_REQUESTS;
    if (full != paused) {
      paused = full;
      client.pause(full);
    }
  }
}
