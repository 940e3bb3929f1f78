package io.ensemble.objects;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.EngineContext;
import io.ensemble.cache.Payload;
import io.ensemble.cache.StoreHandle;
import io.ensemble.cache.mwmr.MwmrEngine;
import io.ensemble.objects.runtime.TimedExecutor;
import io.ensemble.objects.store.ObjectStore;
import io.ensemble.register.Update;
import io.ensemble.register.Update.Decision;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFaultPlan;
import io.ensemble.simulation.SimFederation;
import io.ensemble.site.Bytes;
import io.ensemble.site.SiteStore;
import io.ensemble.site.StoreKind;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.WriterId;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.infinispan.commons.util.CloseableIterator;

/**
 * Factories of several processes on one MWMR cache, in virtual time: the code of production, from
 * the factory to the requests to the replicas.
 */
public final class VirtualFederation {

  private static final String CACHE = "objects";

  private final SimFederation federation;

  /** Messages of which some take up to a tenth of a millisecond more than {@code oneWay}. */
  public VirtualFederation(Duration oneWay, long seed) {
    this(oneWay, Duration.ofNanos(100_000), oneWay.plus(Duration.ofMillis(1)), seed);
  }

  /**
   * @param oneWay the shortest time of a message
   * @param added the average time by which a message takes longer
   * @param longest the longest time of a message
   */
  public VirtualFederation(Duration oneWay, Duration added, Duration longest, long seed) {
    federation =
        SimFederation.builder()
            .sites("lyon", "oslo", "rome")
            .clients(0)
            .seed(seed)
            .plan(SimFaultPlan.of(MessageFaults.reliable().withDelay(oneWay, added, longest)))
            .inFlight(256)
            .inOrder()
            .build();
    federation.createStore(CACHE, StoreKind.ACCEPTOR);
  }

  /** The federation. */
  public SimFederation federation() {
    return federation;
  }

  /** Another process. */
  public AtomicObjectFactory process() {
    SimClient client = federation.newClient();
    List<StoreHandle> handles = new ArrayList<>();
    federation
        .stores(client, CACHE, StoreKind.ACCEPTOR)
        .forEach((site, store) -> handles.add(new OpenStore(site, store)));
    CacheDefinition definition =
        CacheDefinition.of(CACHE, Mode.MWMR).sites(federation.siteNames()).build();
    EngineContext context =
        new EngineContext(
            definition,
            handles,
            Optional.empty(),
            client.scheduler(),
            new HybridClock(client.scheduler()::epochMicros),
            new WriterId(client.random().nextLong(), client.random().nextLong()),
            CacheMetrics.of(null, CACHE, Mode.MWMR));
    AtomicObjectFactoryBuilder builder =
        AtomicObjectFactory.builder(new EngineStore(MwmrEngine.open(context), client));
    builder.timedExecutor =
        new TimedExecutor(
            client.scheduler(), new VirtualTimer(client.scheduler()), client.scheduler()::nanos);
    return builder.build();
  }

  private record OpenStore(String site, SiteStore opened) implements StoreHandle {

    @Override
    public Optional<SiteStore> current() {
      return Optional.of(opened);
    }

    @Override
    public CompletionStage<SiteStore> store(Deadline deadline) {
      return CompletableFuture.completedFuture(opened);
    }
  }

  /** What {@code EnsembleObjectStore} makes of a cache, without the encoding of a cache. */
  private record EngineStore(MwmrEngine engine, SimClient client) implements ObjectStore {

    private Deadline deadline() {
      return Deadline.after(Duration.ofSeconds(3), client.scheduler());
    }

    private static Bytes key(String key) {
      return Bytes.of(key.getBytes(StandardCharsets.UTF_8));
    }

    private static Payload payload(byte[] value) {
      return new Payload(Bytes.of(value), 0);
    }

    private <R> CompletionStage<R> update(String key, Update<Payload, R> update) {
      return engine
          .update(key(key), update, deadline())
          .thenApply(
              outcome -> {
                if (outcome instanceof WriteOutcome.Applied<R> applied) {
                  return applied.result();
                }
                throw new IllegalStateException(outcome.toString());
              });
    }

    @Override
    public CompletionStage<Optional<Entry>> read(String key) {
      return engine
          .read(key(key), deadline())
          .thenApply(value -> value.map(p -> new Entry(p.value().array(), p.value())));
    }

    @Override
    public CompletionStage<Void> create(String key, byte[] value) {
      return update(
          key,
          present -> present == null ? Decision.write(payload(value), null) : Decision.keep(null));
    }

    @Override
    public CompletionStage<Replaced> replace(String key, Object token, byte[] value) {
      Bytes expected = (Bytes) token;
      Bytes next = Bytes.of(value);
      return update(
          key,
          Update.expectingNextWrite(
              present ->
                  present != null && present.value().equals(expected)
                      ? Decision.write(payload(value), new Replaced(true, Optional.of(next)))
                      : Decision.keep(
                          new Replaced(
                              false,
                              Optional.empty(),
                              Optional.ofNullable(present)
                                  .map(p -> new Entry(p.value().array(), p.value()))))));
    }

    @Override
    public CompletionStage<Void> put(String key, byte[] value) {
      return update(key, present -> Decision.write(payload(value), null));
    }

    @Override
    public CompletionStage<Void> remove(String key) {
      return update(key, present -> Decision.write(null, null));
    }

    @Override
    public CloseableIterator<String> keys(String prefix) {
      throw new UnsupportedOperationException();
    }

    @Override
    public Optional<AutoCloseable> watch(Consumer<Change> listener) {
      return Optional.empty();
    }
  }
}
