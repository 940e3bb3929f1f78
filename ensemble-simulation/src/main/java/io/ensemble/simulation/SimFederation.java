package io.ensemble.simulation;

import io.ensemble.simulation.SimScheduler.RunEnd;
import io.ensemble.site.Bytes;
import io.ensemble.site.Site;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.site.StoredEntry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Sites, clients and the network between them, in one thread on a virtual clock.
 *
 * <pre>{@code
 * SimFederation federation = SimFederation.builder()
 *     .sites("lyon", "oslo", "rome").clients(3).seed(7)
 *     .plan(SimFaultPlan.of(MessageFaults.lossy(0.05))
 *         .cut("c0", "oslo", ofMillis(20), ofMillis(300)))
 *     .build();
 * federation.createStore("accounts", StoreKind.ACCEPTOR);
 * SimClient client = federation.clients().get(0);
 * ... run production code with client.scheduler() and client.sites() ...
 * federation.run(Duration.ofSeconds(10));
 * }</pre>
 *
 * <p>Events happen only inside {@link #run} and {@link #get}. Clients are called {@code c0}, {@code
 * c1} and so on.
 */
public final class SimFederation {

  private static final long MOST_STEPS = 50_000_000;

  private final SimScheduler scheduler;
  private final SimTrace trace;
  private final SimNetwork network;
  private final Map<String, SimSiteServer> sites = new LinkedHashMap<>();
  private final List<SimClient> clients = new ArrayList<>();
  private final Map<String, SimScheduler> views = new LinkedHashMap<>();
  private final SplittableRandom clientRandom;
  private final int inFlight;
  private final long maxSkewMicros;

  SimFederation(SimFederationBuilder builder) {
    SplittableRandom random = new SplittableRandom(builder.seed);
    scheduler = SimScheduler.ofSeed(builder.seed);
    trace = new SimTrace(builder.traceLines);
    network =
        new SimNetwork(
            scheduler,
            new NetworkConditions(builder.plan.chances(), random.split()),
            trace,
            builder.inOrder);
    SplittableRandom siteRandom = random.split();
    builder.sites.forEach(name -> sites.put(name, new SimSiteServer(name, siteRandom.split())));
    clientRandom = random.split();
    inFlight = builder.inFlight;
    maxSkewMicros = builder.maxSkewMicros;
    for (int i = 0; i < builder.clients; i++) {
      newClient();
    }
    for (SimFaultPlan.Timed timed : builder.plan.script()) {
      FaultInjector.check(timed.fault(), sites.keySet());
      scheduler.after(timed.at().toNanos(), () -> inject(timed.fault()));
    }
  }

  /** Returns a builder with the defaults. */
  public static SimFederationBuilder builder() {
    return new SimFederationBuilder();
  }

  /** The clients so far, crashed ones included. */
  public List<SimClient> clients() {
    return List.copyOf(clients);
  }

  /** Adds a client, such as the successor of one that crashed. */
  public SimClient newClient() {
    String name = "c" + clients.size();
    SplittableRandom random = clientRandom.split();
    long skew = maxSkewMicros == 0 ? 0 : random.nextLong(-maxSkewMicros, maxSkewMicros + 1);
    SimScheduler view = scheduler.client(name).withSkew(skew);
    Map<String, Site> own = new LinkedHashMap<>();
    sites.forEach((site, memory) -> own.put(site, new SimSite(network, view, memory, inFlight)));
    SimClient client = new SimClient(name, view, Collections.unmodifiableMap(own), random);
    views.put(name, view);
    clients.add(client);
    return client;
  }

  /** The clock behind the clients' views, which no fault affects: for tasks of the test itself. */
  public SimScheduler scheduler() {
    return scheduler;
  }

  /** The trace of the events so far. */
  public SimTrace trace() {
    return trace;
  }

  /** The names of the sites. */
  public List<String> siteNames() {
    return List.copyOf(sites.keySet());
  }

  /** Creates a new, empty store at every site, immediately and without faults. */
  public void createStore(String store, StoreKind kind) {
    sites.values().forEach(site -> site.create(store, kind));
  }

  /**
   * A client's handles of a store at every site, by site name; the sites are not asked whether the
   * store exists.
   */
  public Map<String, SiteStore> stores(SimClient client, String store, StoreKind kind) {
    Map<String, SiteStore> handles = new LinkedHashMap<>();
    client.sites().forEach((name, site) -> handles.put(name, ((SimSite) site).handle(store, kind)));
    return Collections.unmodifiableMap(handles);
  }

  /**
   * The content of a site's store, which no client could see in one step; empty when the site has
   * no such store. For the judgement at the end of a run.
   */
  public Optional<Map<Bytes, StoredEntry>> contents(String site, String store) {
    SimSiteServer memory = sites.get(site);
    if (memory == null) {
      throw new IllegalArgumentException("expected one of " + sites.keySet() + ", got " + site);
    }
    return Optional.ofNullable(memory.stores().get(store))
        .map(found -> new LinkedHashMap<>(found.entries()));
  }

  /**
   * Removes a store from a site, as if the site came back without its disk.
   *
   * @return an action that restores the store as it was; it may run several times
   */
  public Runnable loseStore(String site, String store) {
    SimSiteServer memory = sites.get(site);
    SimStoreEntries lost = memory == null ? null : memory.stores().remove(store);
    if (memory == null || lost == null) {
      throw new IllegalArgumentException("no such store; site=" + site + " store=" + store);
    }
    return () -> memory.stores().put(store, lost);
  }

  /** Applies a fault to the federation now. */
  public void inject(Fault fault) {
    FaultInjector.check(fault, sites.keySet());
    new FaultInjector(network, sites, views).inject(fault);
  }

  /**
   * Runs events until {@code until} holds or {@code limit} has passed.
   *
   * @throws SimulationException when a task throws, or after fifty million tasks
   */
  public RunEnd run(BooleanSupplier until, Duration limit) {
    RunEnd ended = scheduler.run(until, limit, MOST_STEPS);
    if (ended == RunEnd.STEPS) {
      throw new SimulationException(
          "over " + MOST_STEPS + " tasks in one run", scheduler.seed(), scheduler.nanos());
    }
    return ended;
  }

  /** Runs the events of the next {@code time}, or all events if they end before. */
  public RunEnd run(Duration time) {
    return run(() -> false, time);
  }

  /**
   * Runs events until {@code stage} is complete, and returns its result.
   *
   * @throws SimulationException when it is not complete after {@code limit}, or failed with a
   *     checked exception
   * @throws RuntimeException if the stage failed with it
   */
  public <T extends @Nullable Object> T get(CompletionStage<T> stage, Duration limit) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    RunEnd ended = run(future::isDone, limit);
    if (ended != RunEnd.DONE) {
      throw new SimulationException(
          "a stage is not complete, and the run ended by " + ended,
          scheduler.seed(),
          scheduler.nanos());
    }
    try {
      return future.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException failure) {
        throw failure;
      }
      throw new SimulationException(
          "a stage failed: " + e.getCause(), scheduler.seed(), scheduler.nanos(), e);
    }
  }
}
