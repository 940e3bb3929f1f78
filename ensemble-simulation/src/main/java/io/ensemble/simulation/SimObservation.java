package io.ensemble.simulation;

import io.ensemble.site.Bytes;
import io.ensemble.site.StoreObserver;

/**
 * The reports of one store to one client, as weak as the port allows. They are late but in order;
 * some are lost or repeated. A lost report may break the connection, which the client then notices;
 * otherwise the client notices nothing.
 */
final class SimObservation {

  private final SimNetwork network;
  private final SimScheduler client;
  private final SimSiteServer site;
  private final StoreObserver observer;
  private long lastArrivalNanos;
  private boolean ended;

  SimObservation(
      SimNetwork network, SimScheduler client, SimSiteServer site, StoreObserver observer) {
    this.network = network;
    this.client = client;
    this.site = site;
    this.observer = observer;
  }

  boolean hasEnded() {
    return ended;
  }

  void end() {
    ended = true;
  }

  void stored(Bytes key, Bytes value) {
    NetworkConditions conditions = network.conditions();
    boolean isLost =
        conditions.cutsReplies(client.name(), site.name())
            || conditions.isDrawn(conditions.chances().replyLost());
    if (isLost) {
      if (conditions.isDrawn(conditions.chances().noticed())) {
        breakOff();
      }
      return;
    }
    deliver(() -> observer.stored(key, value));
    if (conditions.isDrawn(conditions.chances().duplicated())) {
      deliver(() -> observer.stored(key, value));
    }
  }

  /** The site goes down: no more reports, and the client may notice. */
  void breakOff() {
    deliver(observer::interrupted);
    deliver(this::end);
  }

  private void deliver(Runnable report) {
    long now = network.clock().nanos();
    long arrival = Math.max(lastArrivalNanos, now + network.conditions().delayNanos(site.name()));
    lastArrivalNanos = arrival;
    client.after(
        arrival - now,
        () -> {
          if (!ended) {
            report.run();
          }
        });
  }
}
