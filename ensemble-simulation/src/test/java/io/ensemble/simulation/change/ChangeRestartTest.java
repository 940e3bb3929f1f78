package io.ensemble.simulation.change;

import static io.ensemble.simulation.change.ChangeFixture.LIMIT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.WriteOutcome;
import io.ensemble.cache.CacheEngine;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangeAction;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ChangeRules;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.migrate.Mover;
import io.ensemble.schedule.Deadline;
import io.ensemble.simulation.Fault;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.testkit.mwmr.HistoryPayloads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A change is restarted after its new stores were lost during the lazy migration. */
@Execution(ExecutionMode.CONCURRENT)
final class ChangeRestartTest {

  private static final int KEYS = 20;

  private final ChangeFixture scene =
      new ChangeFixture(
          11,
          MessageFaults.lossy(0),
          ConfigurationLeaseRules.STANDARD,
          new ChangeRules(ConfigurationLeaseRules.STANDARD));
  private final SimFederation federation = scene.federation();
  private final SimClient client = federation.newClient();
  private CacheEngine cache;
  private Mover mover;

  /** Begins a change of the sites and waits for the lazy migration. */
  private void join(String... to) {
    scene.create(at("s0", "s1", "s2"));
    cache = scene.open(client).engine();
    for (int i = 0; i < KEYS; i++) {
      write(cache, client, "k" + i, (long) i);
    }
    mover = scene.alter(federation.newClient(), at(to), 1, errand -> {});
    awaitCutover();
  }

  private void awaitCutover() {
    federation.run(() -> isAt(ChangePhase.CUTOVER), LIMIT);
    assertThat(read(cache, client, "nobody")).isNull(); // The client has followed the change.
  }

  private static CacheDefinition at(String... sites) {
    return CacheDefinition.of("c", Mode.MWMR).sites(sites).tombstoneGrace(Duration.ZERO).build();
  }

  private boolean isAt(ChangePhase changePhase) {
    return scene
        .stored()
        .change()
        .map(ConfigurationChange::step)
        .filter(changePhase::equals)
        .isPresent();
  }

  private Runnable lose(String site) {
    return federation.loseStore(site, scene.stored().served().store(site).orElseThrow());
  }

  private static Deadline in(SimClient who, int seconds) {
    return Deadline.after(Duration.ofSeconds(seconds), who.scheduler());
  }

  private void write(CacheEngine into, SimClient who, String key, Long value) {
    WriteOutcome<Void> outcome =
        get(
            into.write(
                HistoryPayloads.key(key),
                value == null ? null : HistoryPayloads.payload(value),
                in(who, 10)));
    assertThat(outcome).isInstanceOf(WriteOutcome.Applied.class);
  }

  private Long read(CacheEngine from, SimClient who, String key) {
    return HistoryPayloads.number(get(from.read(HistoryPayloads.key(key), in(who, 10))));
  }

  private <T> T get(CompletionStage<T> stage) {
    return federation.get(stage, LIMIT);
  }

  private void assertOver(Mover last, long configuration) {
    StoredDefinition now = get(last.completion());
    assertThat(now.change()).isEmpty();
    assertThat(now.configuration()).isEqualTo(configuration);
    assertThat(now.definition()).isEqualTo(scene.stored().definition());
  }

  @Test
  void whatTheFormerStoresHeldAndWhatOneThatIsLeftHasIsKept() {
    join("s1", "s2", "s3");
    write(cache, client, "k3", 33L);
    write(cache, client, "k4", null);
    write(cache, client, "new", 7L);
    federation.run(Duration.ofSeconds(1)); // Until the writes are at every site.
    lose("s2");
    lose("s3");

    Mover second = scene.restart(federation.newClient(), errand -> {});

    assertThat(scene.stored().change().orElseThrow().step()).isEqualTo(ChangePhase.SEALING);
    assertThat(scene.stored().change().orElseThrow().restarts()).isEqualTo(1);
    assertThat(scene.stored().abandoned()).hasSize(3);
    assertOver(second, 3);
    assertOver(mover, 3); // The former mover ends, too.
    assertThat(read(cache, client, "k3")).isEqualTo(33);
    assertThat(read(cache, client, "k4")).isNull();
    assertThat(read(cache, client, "new")).isEqualTo(7);
    assertThat(read(cache, client, "k19")).isEqualTo(19);
    write(cache, client, "k3", 34L);
    SimClient late = federation.newClient();
    assertThat(read(scene.open(late).engine(), late, "k3")).isEqualTo(34);
  }

  @Test
  void whereNoneIsLeftEveryKeyIsAsItWasWhenTheCacheWasSealed() {
    join("s3");
    write(cache, client, "k3", 33L);
    write(cache, client, "k4", null);
    write(cache, client, "new", 7L);
    lose("s3");

    assertOver(scene.restart(federation.newClient(), errand -> {}), 3);

    for (int i = 0; i < KEYS; i++) {
      assertThat(read(cache, client, "k" + i)).isEqualTo(i);
    }
    assertThat(read(cache, client, "new")).isNull();
  }

  @Test
  void aChangeIsRestartedOnceForEachLoss() {
    join("s1", "s2", "s3");
    StoredDefinition seen = scene.stored();
    lose("s2");
    lose("s3");
    Mover second = scene.restart(federation.newClient(), errand -> {});

    assertThatIllegalStateException()
        .isThrownBy(() -> scene.restart(federation.newClient(), errand -> {}))
        .withMessageContaining("SEALING");
    assertThat(scene.stored().newStores()).doesNotContainAnyElementsOf(seen.newStores());
    awaitCutover();
    write(cache, client, "k5", 55L);
    federation.run(Duration.ofSeconds(1));
    lose("s1");
    lose("s2");
    Mover third = scene.restart(federation.newClient(), errand -> {});

    assertOver(third, 4);
    assertOver(second, 4);
    assertThat(read(cache, client, "k5")).isEqualTo(55);
    assertThat(read(cache, client, "k6")).isEqualTo(6);
  }

  @Test
  void aMoverMayDieBeforeAnyErrandOfARestart() {
    for (int dies = 0; dies < 9; dies++) {
      new ChangeRestartTest().diesBefore(dies);
    }
  }

  private void diesBefore(int errand) {
    join("s1", "s2", "s3");
    write(cache, client, "k3", 33L);
    federation.run(Duration.ofSeconds(1));
    lose("s2");
    lose("s3");
    SimClient first = federation.newClient();
    List<ChangeAction> errands = new ArrayList<>();

    Mover dying =
        scene.restart(
            first,
            next -> {
              if (errands.size() == errand) {
                first.scheduler().stop();
              }
              errands.add(next);
            });
    federation.run(
        () -> first.scheduler().isStopped() || dying.completion().toCompletableFuture().isDone(),
        LIMIT);
    federation.run(Duration.ofSeconds(3));

    assertThat(errands).hasSize(errand + 1);
    assertOver(scene.resume(federation.newClient()), 3);
    assertThat(read(cache, client, "k3")).isEqualTo(33);
    assertThat(read(cache, client, "k19")).isEqualTo(19);
  }

  /** Lost stores that return have not been fenced, and the process cannot read the record. */
  @Test
  void lostStoresThatComeBackAnswerNobodyWhoHasSleptMeanwhile() {
    join("s1", "s2", "s3");
    SimClient other = federation.newClient();
    AtomicBoolean away = new AtomicBoolean();
    CacheEngine there = scene.open(other, away::get).engine();
    write(there, other, "k3", 33L);
    federation.run(Duration.ofSeconds(1));
    other.scheduler().suspend();
    away.set(true);
    Runnable second = lose("s2");
    Runnable third = lose("s3");
    federation.run(Duration.ofSeconds(4));
    scene.restart(federation.newClient(), errand -> {});
    awaitCutover();
    second.run();
    third.run();

    other.scheduler().wake();
    CompletableFuture<WriteOutcome<Void>> late =
        there
            .write(HistoryPayloads.key("k3"), HistoryPayloads.payload(34L), in(other, 10))
            .toCompletableFuture();
    WriteOutcome<Void> outcome = get(late);

    assertThat(outcome).isNotInstanceOf(WriteOutcome.Applied.class);
    assertThat(read(cache, client, "k3")).isEqualTo(33);
    away.set(false);
    assertThat(read(there, other, "k3")).isEqualTo(33);
    write(there, other, "k3", 35L);
    assertThat(read(cache, client, "k3")).isEqualTo(35);
  }

  /** Its entries are read after it has been fenced. */
  @Test
  void aLostStoreThatComesBackBeforeTheOthersServeIsEndedAndRead() {
    join("s1", "s2", "s3");
    write(cache, client, "k3", 33L);
    federation.run(Duration.ofSeconds(1));
    List<Runnable> back = List.of(lose("s1"), lose("s2"), lose("s3"));
    List<String> errands = new ArrayList<>();

    Mover second =
        scene.restart(
            federation.newClient(),
            errand -> {
              errands.add(errand.getClass().getSimpleName());
              if (errands.size() > 1 && errand instanceof ChangeAction.AwaitLeaseExpiry) {
                back.get(0).run();
              }
            });

    assertOver(second, 3);
    assertThat(errands.stream().filter("Fence"::equals)).hasSize(2);
    assertThat(read(cache, client, "k3")).isEqualTo(33);
  }

  @Test
  void aSiteThatIsSilentIsWaitedFor() {
    join("s1", "s2", "s3");
    write(cache, client, "k3", 33L);
    federation.run(Duration.ofSeconds(1));
    lose("s2");
    lose("s3");
    SimClient moving = federation.newClient();
    federation.inject(new Fault.Cut(moving.name(), "s1", true, true));

    Mover second = scene.restart(moving, errand -> {});
    federation.run(Duration.ofMinutes(2));
    assertThat(isAt(ChangePhase.SEALING)).isTrue();
    federation.inject(new Fault.Heal(moving.name(), "s1"));

    assertOver(second, 3);
    assertThat(read(cache, client, "k3")).isEqualTo(33);
  }
}
