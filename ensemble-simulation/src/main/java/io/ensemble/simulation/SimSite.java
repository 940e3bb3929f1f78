package io.ensemble.simulation;

import io.ensemble.schedule.Deadline;
import io.ensemble.site.Site;
import io.ensemble.site.SiteException.Reason;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoreObserver;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One client's connections to one simulated site. Stages complete on the client's view of the
 * scheduler. The site performs requests one at a time, so every store is linearizable by entry; the
 * network adds the faults. One thread only.
 */
final class SimSite implements Site {

  private final SimNetwork network;
  private final SimScheduler client;
  private final SimSiteServer site;
  private final int mostInFlight;
  private int inFlight;
  private boolean closed;

  SimSite(SimNetwork network, SimScheduler client, SimSiteServer site, int mostInFlight) {
    this.network = network;
    this.client = client;
    this.site = site;
    this.mostInFlight = mostInFlight;
  }

  @Override
  public String name() {
    return site.name();
  }

  @Override
  public CompletionStage<SiteStore> create(String store, StoreKind kind, Deadline deadline) {
    return send(
        "create " + store + " " + kind,
        memory -> {
          memory.create(store, kind);
          return RequestResult.of(handle(store, kind), "created");
        },
        deadline);
  }

  @Override
  public CompletionStage<SiteStore> open(String store, StoreKind kind, Deadline deadline) {
    return send(
        "open " + store + " " + kind,
        memory -> {
          memory.open(store, kind);
          return RequestResult.of(handle(store, kind), "opened");
        },
        deadline);
  }

  @Override
  public CompletionStage<Void> remove(String store, Deadline deadline) {
    return send(
        "remove store " + store,
        memory -> RequestResult.of(null, memory.removeStore(store) ? "removed" : "none"),
        deadline);
  }

  @Override
  public CompletionStage<Set<String>> stores(Deadline deadline) {
    return send(
        "list stores",
        memory -> {
          Set<String> names = Set.copyOf(memory.stores().keySet());
          return RequestResult.of(names, names.size() + " stores");
        },
        deadline);
  }

  @Override
  public void close() {
    closed = true;
  }

  SiteStore handle(String store, StoreKind kind) {
    return new SimStore(this, store, kind);
  }

  <T extends @Nullable Object> CompletionStage<T> send(
      String what, Function<SimSiteServer, RequestResult<T>> action, Deadline deadline) {
    SimCall<T> call = network.call(client, site, what, action);
    if (closed) {
      return network.refuse(call, Reason.UNREACHABLE, "the connections were closed");
    }
    if (inFlight >= mostInFlight) {
      network.fault(SimFaultKind.BUSY, call);
      return network.refuse(call, Reason.BUSY, "over " + mostInFlight + " requests are under way");
    }
    inFlight++;
    call.whenOver(() -> inFlight--);
    return network.send(call, deadline);
  }

  /** Ends a walk at the site; takes no time and cannot be lost. */
  void endWalk(long walk) {
    network.clock().execute(() -> site.endWalk(walk));
  }

  /** The reports of one store, before they begin. */
  SimObservation observation(StoreObserver observer) {
    return new SimObservation(network, client, site, observer);
  }

  long newWalk() {
    return network.newWalk();
  }
}
