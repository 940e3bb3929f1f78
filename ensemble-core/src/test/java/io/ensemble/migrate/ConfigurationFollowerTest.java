package io.ensemble.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.cache.CacheMetrics;
import io.ensemble.cache.Payload;
import io.ensemble.catalog.DefinitionWatch;
import io.ensemble.catalog.SiteDirectory;
import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.register.Update;
import io.ensemble.schedule.Deadline;
import io.ensemble.site.Bytes;
import io.ensemble.site.Site;
import io.ensemble.stamp.HybridClock;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Held calls are resumed and engines closed without the lock of the open cache. */
final class ConfigurationFollowerTest {

  private static final Bytes KEY = Bytes.of((byte) 1);

  private final VirtualTimeScheduler scheduler = new VirtualTimeScheduler();
  private final InMemoryDefinitions definitions = new InMemoryDefinitions();
  private final List<String> locked = new ArrayList<>();
  private final AtomicReference<@Nullable Object> follower = new AtomicReference<>();

  private static Site site(String name) {
    return (Site)
        Proxy.newProxyInstance(
            ConfigurationFollowerTest.class.getClassLoader(),
            new Class<?>[] {Site.class},
            (proxy, method, given) -> method.getName().equals("name") ? name : null);
  }

  private void note(String what) {
    Object lock = follower.get();
    if (lock != null && Thread.holdsLock(lock)) {
      locked.add(what);
    }
  }

  /** Notes calls that are made while the lock is held. */
  private final class Noting implements CacheEngine {

    @Override
    public CompletionStage<Optional<Payload>> read(Bytes key, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<WriteOutcome<Void>> write(
        Bytes key, @Nullable Payload value, Deadline deadline) {
      note("write");
      return CompletableFuture.completedFuture(new WriteOutcome.Applied<>(null, Stamp.NONE, true));
    }

    @Override
    public <R> CompletionStage<WriteOutcome<R>> update(
        Bytes key, Update<Payload, R> update, Deadline deadline) {
      throw new UnsupportedOperationException();
    }

    @Override
    public EntryScan scan(int batchSize) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void close() {
      note("close");
    }
  }

  @Test
  void heldCallsGoOnAndEnginesAreClosedWithoutItsLock() {
    CacheDefinition from = CacheDefinition.of("c", Mode.WEAK).sites("a").build();
    CacheDefinition to = CacheDefinition.of("c", Mode.WEAK).sites("b").build();
    String birth = definitions.id().toCompletableFuture().join() + "000000000001";
    StoredDefinition first = StoredDefinition.first(from, birth, Map.of("a", "0000000a"));
    definitions.create(first);
    DefinitionWatch watch = new DefinitionWatch(first, definitions, scheduler);
    ConfigurationFollower opened =
        new ConfigurationFollower(
            new ConfigurationFollower.FollowerContext(
                SiteDirectory.of(Map.of("a", site("a"), "b", site("b"))),
                mode -> cache -> new Noting(),
                Optional.empty(),
                scheduler,
                new HybridClock(scheduler::epochMicros),
                () -> new WriterId(1, 1),
                CacheMetrics.NONE,
                ConfigurationLeaseRules.STANDARD),
            watch);
    follower.set(opened);
    StoredDefinition sealing =
        first.with(
            Optional.of(
                ConfigurationChange.begun(to, Map.of("b", "0000000b"), "me", new TreeSet<>())
                    .at(ChangePhase.SEALING)));
    definitions.replace(sealing);
    watch.present();
    CompletableFuture<WriteOutcome<Void>> held =
        opened
            .engine()
            .write(KEY, null, Deadline.after(Duration.ofMinutes(1), scheduler))
            .toCompletableFuture();
    assertThat(held).isNotDone();
    held.whenComplete((outcome, failure) -> note("completion"));

    definitions.replace(sealing.switched());
    watch.present();

    assertThat(held).isCompleted();
    assertThat(opened.engine().number()).isEqualTo(2);
    assertThat(locked).isEmpty();
    opened.engine().close();
  }
}
