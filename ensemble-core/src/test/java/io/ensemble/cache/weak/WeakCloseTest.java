package io.ensemble.cache.weak;

import static io.ensemble.cache.weak.WeakCacheFixture.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.QuorumUnavailableException;
import io.ensemble.WriteOutcome;
import io.ensemble.WriteOutcome.Applied;
import io.ensemble.WriteOutcome.Refused;
import io.ensemble.WriteOutcome.Unknown;
import io.ensemble.cache.weak.WeakCacheFixture.Client;
import io.ensemble.cache.weak.replica.AntiEntropyReport;
import io.ensemble.cache.weak.replica.StageLoops;
import io.ensemble.cache.weak.replica.WeakOptions;
import io.ensemble.site.SiteStore;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** All pending stages complete when an engine, its sites or its scheduler end. */
class WeakCloseTest {

  /** The orders in which things end; each must complete every stage. */
  enum End {
    /** The engine closes; sites and scheduler go on. */
    ENGINE(
        (fixture, client) -> {
          client.engine.close();
          fixture.scheduler.run(Duration.ofMillis(1));
        }),
    /** The scheduler has ended before the engine closes, so that every hop is rejected. */
    SCHEDULER_THEN_ENGINE(
        (fixture, client) -> {
          fixture.scheduler.end();
          client.engine.close();
        }),
    /** The scheduler ends and the sites are closed; the engine is not closed. */
    SCHEDULER_THEN_SITES(
        (fixture, client) -> {
          fixture.scheduler.end();
          client.ways.forEach(FakeStore::close);
        }),
    /** The order in which a manager stops. */
    ENGINE_THEN_SITES_THEN_SCHEDULER(
        (fixture, client) -> {
          client.engine.close();
          client.ways.forEach(FakeStore::close);
          fixture.scheduler.run(Duration.ZERO);
          fixture.scheduler.end();
        });

    final BiConsumer<WeakCacheFixture, Client> happens;

    End(BiConsumer<WeakCacheFixture, Client> happens) {
      this.happens = happens;
    }
  }

  private static <T> T ended(CompletionStage<T> stage) {
    assertThat(stage.toCompletableFuture()).as("has ended").isDone();
    return stage.toCompletableFuture().join();
  }

  private static Throwable failure(CompletionStage<?> stage) {
    assertThat(stage.toCompletableFuture()).as("has ended").isCompletedExceptionally();
    return StageLoops.unwrap(
        stage.<Throwable>handle((done, thrown) -> thrown).toCompletableFuture().join());
  }

  private static <T> T ending(
      End end, int sites, FakeSiteMemory.Mode mode, Function<Client, CompletionStage<T>> call) {
    return ended(under(end, sites, mode, call));
  }

  private static <T> CompletionStage<T> under(
      End end, int sites, FakeSiteMemory.Mode mode, Function<Client, CompletionStage<T>> call) {
    WeakCacheFixture fixture = new WeakCacheFixture(sites);
    Client client = fixture.client(0, 1);
    fixture.sites.forEach(site -> site.mode = mode);
    CompletionStage<T> stage = call.apply(client);
    fixture.scheduler.run(Duration.ofMillis(200));
    assertThat(stage.toCompletableFuture()).as("is under way").isNotDone();

    end.happens.accept(fixture, client);

    return stage;
  }

  @ParameterizedTest
  @EnumSource
  void aReadEndsAsUnavailable(End end) {
    for (int sites : new int[] {1, 3}) {
      Throwable why =
          failure(under(end, sites, FakeSiteMemory.Mode.SILENT, client -> client.reading("k")));

      assertThat(why).isInstanceOf(QuorumUnavailableException.class);
      assertThat(((QuorumUnavailableException) why).shortfall().silent()).hasSize(sites);
    }
  }

  @ParameterizedTest
  @EnumSource
  void aWriteThatWasSentEndsAsUnknown(End end) {
    for (int sites : new int[] {1, 2}) {
      WriteOutcome<Void> outcome =
          ending(end, sites, FakeSiteMemory.Mode.SILENT, client -> client.writing("k", "a"));

      assertThat(outcome).isInstanceOf(Unknown.class);
      assertThat(((Unknown<Void>) outcome).why().silent()).hasSize(sites);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = End.class,
      names = {"ENGINE", "SCHEDULER_THEN_ENGINE"})
  void aWriteWhoseStoreIsStillBeingOpenedIsRefusedAndNeverSent(End end) {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    fixture.opening = Duration.ofSeconds(1);
    Client client = fixture.client(0, 1);
    CompletionStage<WriteOutcome<Void>> write = client.writing("k", "a");
    fixture.scheduler.run(Duration.ofMillis(100));

    end.happens.accept(fixture, client);

    assertThat(ended(write)).isInstanceOf(Refused.class);
    if (end == End.ENGINE) {
      fixture.settle();
    }
    assertThat(client.ways).allMatch(way -> way.requests.isEmpty());
    assertThat(fixture.values("k")).containsOnlyNulls();
  }

  @ParameterizedTest
  @EnumSource
  void aWriteThatOneOfAMajorityHasEndsAsUnknown(End end) {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    fixture.options = fixture.options.withAck(WeakOptions.Ack.MAJORITY);
    Client client = fixture.client(0, 1);
    fixture.sites.get(1).mode = FakeSiteMemory.Mode.SILENT;
    fixture.sites.get(2).mode = FakeSiteMemory.Mode.SILENT;
    CompletionStage<WriteOutcome<Void>> write = client.writing("k", "a");
    fixture.scheduler.run(Duration.ofMillis(200));

    end.happens.accept(fixture, client);

    WriteOutcome<Void> outcome = ended(write);
    assertThat(outcome).isInstanceOf(Unknown.class);
    assertThat(((Unknown<Void>) outcome).why().heard()).containsExactly("s0");
  }

  @ParameterizedTest
  @EnumSource(
      value = End.class,
      names = {"ENGINE", "SCHEDULER_THEN_ENGINE", "ENGINE_THEN_SITES_THEN_SCHEDULER"})
  void aWriteThatWaitsForRoomForItsCopyEndsAsApplied(End end) {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    fixture.options =
        fixture.options.withCopies(
            new WeakOptions.CopyLimits(
                1, 1, 1 << 20, Duration.ofMinutes(1), Duration.ofSeconds(5)));
    Client client = fixture.client(0, 1);
    fixture.sites.get(1).mode = FakeSiteMemory.Mode.SILENT;
    client.write("a", "1");
    client.write("b", "1");
    CompletionStage<WriteOutcome<Void>> write = client.writing("c", "1");
    fixture.scheduler.run(Duration.ofMillis(50));
    assertThat(write.toCompletableFuture()).isNotDone();

    end.happens.accept(fixture, client);

    assertThat(ended(write)).isInstanceOf(Applied.class);
  }

  @ParameterizedTest
  @EnumSource
  void anUpdateThatReadsIsRefused(End end) {
    WriteOutcome<String> outcome =
        ending(end, 2, FakeSiteMemory.Mode.SILENT, client -> client.updating("k", before -> "a"));

    assertThat(outcome).isInstanceOf(Refused.class);
  }

  @ParameterizedTest
  @EnumSource
  void anUpdateWhoseCompareAndSetWasSentIsUnknown(End end) {
    WriteOutcome<String> outcome =
        ending(
            end,
            2,
            FakeSiteMemory.Mode.SILENT,
            client -> {
              client.ways.get(0).next.add(FakeSiteMemory.Mode.UP);
              return client.updating("k", before -> "a");
            });

    assertThat(outcome).isInstanceOf(Unknown.class);
  }

  @ParameterizedTest
  @EnumSource(
      value = End.class,
      names = {"ENGINE", "SCHEDULER_THEN_ENGINE", "ENGINE_THEN_SITES_THEN_SCHEDULER"})
  void anUpdateThatPausesEndsAndDoesNotGoOn(End end) {
    WeakCacheFixture fixture = new WeakCacheFixture(1);
    Client client = fixture.client(0, 1);
    client.ways.get(0).delay = Duration.ZERO;
    client.ways.get(0).lies = Integer.MAX_VALUE;
    fixture.sites.get(0).mode = FakeSiteMemory.Mode.BUSY;
    client.ways.get(0).next.add(FakeSiteMemory.Mode.UP);
    CompletionStage<WriteOutcome<String>> update = client.updating("k", before -> "a");
    fixture.scheduler.run(Duration.ZERO);
    assertThat(client.ways.get(0).requests).containsExactly("read", "putIfAbsent");
    assertThat(update.toCompletableFuture()).as("pauses").isNotDone();

    end.happens.accept(fixture, client);

    assertThat(ended(update)).as("busy means not sent").isInstanceOf(Refused.class);
    assertThat(client.ways.get(0).requests).hasSize(2);
  }

  @Test
  void aPauseThatTheSchedulerRejectsEndsTheUpdate() {
    WeakCacheFixture fixture = new WeakCacheFixture(1);
    Client client = fixture.client(0, 1);
    client.ways.get(0).next.add(FakeSiteMemory.Mode.UP);
    fixture.sites.get(0).mode = FakeSiteMemory.Mode.SILENT;
    CompletionStage<WriteOutcome<String>> update = client.updating("k", before -> "a");
    fixture.scheduler.run(Duration.ofMillis(100));
    fixture.scheduler.end();

    client.ways.get(0).close();

    assertThat(ended(update)).isInstanceOf(Unknown.class);
  }

  @Test
  void whatComesAfterTheSchedulersEndEndsAtOnce() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    client.given.replaceAll(store -> null);
    fixture.scheduler.end();

    assertThat(failure(client.engine.read(key("k"), fixture.deadline())))
        .isInstanceOf(QuorumUnavailableException.class);
    assertThat(ended(client.writing("k", "a"))).isInstanceOf(Refused.class);
    assertThat(ended(client.updating("k", before -> "a"))).isInstanceOf(Refused.class);
    assertThat(ended(client.engine.drain(fixture.deadline()))).as("nothing waits").isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = End.class,
      names = {"ENGINE", "SCHEDULER_THEN_ENGINE", "ENGINE_THEN_SITES_THEN_SCHEDULER"})
  void comparisonsRefillsWalksAndDrainsEnd(End end) {
    WeakCacheFixture fixture = new WeakCacheFixture(3);
    Client client = fixture.client(0, 1);
    fixture.sites.get(2).mode = FakeSiteMemory.Mode.SILENT;
    client.write("k", "a");
    CompletionStage<Boolean> drain = client.engine.drain(fixture.deadline());
    CompletionStage<AntiEntropyReport> first = client.engine.reconcile();
    CompletionStage<AntiEntropyReport> next = client.engine.reconcile();
    SiteStore fresh = new FakeStore(new FakeSiteMemory("s1"), fixture.scheduler);
    CompletionStage<AntiEntropyReport> refill = client.engine.refill("s1", fresh);
    fixture.sites.forEach(site -> site.mode = FakeSiteMemory.Mode.SILENT);
    CompletionStage<?> walk = client.engine.scan(10).next(fixture.deadline());
    fixture.scheduler.run(Duration.ofMillis(100));
    List<CompletionStage<?>> failing = List.of(first, next, refill, walk);
    assertThat(failing).noneMatch(stage -> stage.toCompletableFuture().isDone());

    end.happens.accept(fixture, client);

    assertThat(failing)
        .allSatisfy(stage -> assertThat(failure(stage)).isInstanceOf(IllegalStateException.class));
    assertThat(ended(drain)).isFalse();
  }

  @Test
  void closingWithNothingUnderWayChangesNothing() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    CompletionStage<WriteOutcome<Void>> write = client.writing("k", "a");
    fixture.settle();

    client.engine.close();
    client.engine.close();

    assertThat(ended(write)).isInstanceOf(Applied.class);
    assertThat(fixture.scheduler.waiting()).isZero();
    assertThat(Collections.nCopies(2, "a")).isEqualTo(fixture.values("k"));
  }

  @Test
  void anErrorInALookDoesNotKeepOthersFromTheirs() {
    WeakCacheFixture fixture = new WeakCacheFixture(2);
    Client client = fixture.client(0, 1);
    fixture.sites.get(0).mode = FakeSiteMemory.Mode.SILENT;
    client.ways.get(1).broken = new NoClassDefFoundError("told to");
    CompletionStage<WriteOutcome<Void>> broken = client.writing("k", "a");
    fixture.scheduler.run(Duration.ofMillis(60));
    client.ways.get(1).broken = null;

    CompletionStage<WriteOutcome<Void>> sound = client.writing("l", "a");
    fixture.scheduler.run(Duration.ofMillis(60));

    assertThat(ended(sound)).isInstanceOf(Applied.class);
    fixture.settle();
    assertThat(ended(broken)).isInstanceOf(Unknown.class);
  }
}
