package io.ensemble.simulation.change;

import static io.ensemble.simulation.change.ChangeFixture.LIMIT;
import static io.ensemble.simulation.change.ChangeFixture.strong;
import static io.ensemble.simulation.change.ChangeFixture.weak;
import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangeAction;
import io.ensemble.change.ChangeRules;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.lease.ConfigurationLeaseRules;
import io.ensemble.migrate.ConfigurationFollower;
import io.ensemble.migrate.Mover;
import io.ensemble.simulation.MessageFaults;
import io.ensemble.simulation.SimClient;
import io.ensemble.simulation.SimFederation;
import io.ensemble.simulation.change.ChangeUser.Shared;
import io.ensemble.testkit.history.HistoryRecorder;
import io.ensemble.testkit.linearizability.FailureArtifacts;
import io.ensemble.testkit.linearizability.LinearizabilityChecker;
import io.ensemble.testkit.linearizability.LinearizabilityChecker.Options;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The new stores of a cache are lost under load during the lazy migration, and the change is
 * restarted. The stores return when a process resumes that was suspended meanwhile. Answers in the
 * abandoned configuration may be lost; the rest is linearizable for each key.
 */
@Execution(ExecutionMode.CONCURRENT)
final class ChangeRestartWorkloadTest {

  private static final int KEYS = 6;
  private static final CacheDefinition TO = strong("s1", "s2", "s3");

  @Test
  void onlyWhatWasAnsweredInTheLostConfigurationIsLost() {
    assertThat(losing(strong("s0", "s1", "s2"), 1)).as("answers that may be lost").isPositive();
  }

  @Tag("nightly")
  @ParameterizedTest
  @ValueSource(longs = {2, 3, 4, 5, 6})
  void soItIsOfMoreSeedsAndOfAWeakCache(long seed) {
    int answeredWhileLossy = 0;
    for (CacheDefinition from : List.of(strong("s0", "s1", "s2"), weak("s0", "s1"))) {
      answeredWhileLossy += losing(from, seed);
    }
    assertThat(answeredWhileLossy).as("answers that may be lost").isPositive();
  }

  /** Returns the number of answers that may be lost. */
  private static int losing(CacheDefinition from, long seed) {
    ChangeFixture scene =
        new ChangeFixture(
            seed,
            MessageFaults.lossy(0.01),
            ConfigurationLeaseRules.STANDARD,
            new ChangeRules(ConfigurationLeaseRules.STANDARD));
    SimFederation federation = scene.federation();
    scene.create(from);
    Shared shared = new Shared(HistoryRecorder.inMemory(federation.scheduler()::nanos, 100_000));
    shared.lossy = 2;
    AtomicBoolean away = new AtomicBoolean();
    List<ChangeUser> users = new ArrayList<>();
    List<SimClient> processes = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      SimClient client = federation.newClient();
      processes.add(client);
      ConfigurationFollower cache = i == 0 ? scene.open(client, away::get) : scene.open(client);
      users.add(new ChangeUser(client, cache, shared, from.mode(), false, users.size(), KEYS));
      users.add(new ChangeUser(client, cache, shared, from.mode(), false, users.size(), KEYS));
    }
    users.forEach(ChangeUser::start);
    federation.run(Duration.ofSeconds(2));
    scene.alter(federation.newClient(), TO, 1, errand -> {});
    federation.run(() -> isInCutover(scene), LIMIT);
    federation.run(Duration.ofMillis(300));

    processes.get(0).scheduler().suspend();
    away.set(true);
    StoredDefinition cutover = scene.stored().served();
    List<Runnable> back = new ArrayList<>();
    for (String site : seed % 2 == 0 ? List.of("s2", "s3") : TO.sites()) {
      back.add(federation.loseStore(site, cutover.store(site).orElseThrow()));
    }
    federation.run(Duration.ofSeconds(4));
    Mover mover =
        scene.restart(
            federation.newClient(),
            errand -> shared.abandoned |= errand instanceof ChangeAction.TakeOver);
    federation.run(() -> isInCutover(scene), LIMIT);
    back.forEach(Runnable::run);
    processes.get(0).scheduler().wake();
    federation.run(Duration.ofSeconds(4));
    away.set(false);
    federation.get(mover.completion(), LIMIT);
    federation.run(Duration.ofSeconds(8));
    shared.over = true;
    federation.run(() -> users.stream().allMatch(ChangeUser::isFinished), LIMIT);
    SimClient late = federation.newClient();
    ChangeUser reader = new ChangeUser(late, scene.open(late), shared, TO.mode(), false, 0, KEYS);
    reader.readAll(0);
    federation.run(Duration.ofMinutes(1));

    assertThat(users).allMatch(ChangeUser::isFinished);
    assertThat(reader.isIdle()).isTrue();
    assertThat(scene.stored().configuration()).isEqualTo(3);
    assertThat(scene.stored().change()).isEmpty();
    assertThat(shared.answeredBefore).as("answers before").isPositive();
    assertThat(shared.answeredOnceAbandoned).as("of them, once others serve").isZero();
    FailureArtifacts.requireLinearizable(
        LinearizabilityChecker.check(shared.recorder.history(), Options.registers()),
        shared.recorder.history(),
        ChangeRestartWorkloadTest.class,
        (int) seed);
    return shared.answeredWhileLossy;
  }

  private static boolean isInCutover(ChangeFixture scene) {
    return scene.stored().change().filter(ConfigurationChange::isInCutover).isPresent();
  }
}
