package io.ensemble.objects.sync;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.objects.sync.permit.PermitState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Processes that claim, hold, pause, die and lose their connection, under many seeds. Grants never
 * exceed the permits, tokens grow, and live processes get the grants that they wait for.
 */
@Execution(ExecutionMode.CONCURRENT)
class LeasesSimulationTest {

  private static final int SEEDS = Boolean.getBoolean("ensemble.deep") ? 2_000 : 200;
  private static final long MILLI = 1_000_000;
  private static final long SECOND = 1_000 * MILLI;

  /** One run. */
  private static final class World {
    final long seed;
    final int permits;
    final boolean exclusive;
    final ObjectSimulation<PermitState> time;
    final List<SimulatedProcess<PermitState>> processes = new ArrayList<>();
    final List<PermitClient> claims = new ArrayList<>();
    final List<Held> held = new ArrayList<>();
    long largestToken;
    int granted;
    int lost;
    boolean over;

    record Held(Grant grant, int permits) {}

    World(long seed, int permits) {
      this.seed = seed;
      this.permits = permits;
      this.exclusive = permits == 1;
      this.time = new ObjectSimulation<>(seed, new PermitState(permits));
      this.time.faults = (int) (seed % 4) * 4;
      int count = 2 + time.random.nextInt(3);
      for (int i = 0; i < count; i++) {
        SimulatedProcess<PermitState> process = new SimulatedProcess<>(time);
        processes.add(process);
        claims.add(new PermitClient(process, Duration.ofSeconds(1 + time.random.nextInt(3))));
        act(i);
      }
    }

    void act(int i) {
      processes.get(i).after(time.random.nextInt(2_000) * MILLI, () -> claim(i));
    }

    void claim(int i) {
      if (over) {
        return;
      }
      int wanted = time.random.nextInt(4) == 0 ? permits : 1;
      Duration atMost = Duration.ofMillis(Math.max(0, time.random.nextInt(20_000) - 3_000));
      CompletableFuture<Optional<Grant>> claim = claims.get(i).claim(wanted, "", atMost);
      claim.whenComplete(
          (grant, failure) -> {
            if (grant != null && grant.isPresent()) {
              granted(i, grant.get(), wanted);
            } else {
              act(i);
            }
          });
      if (time.random.nextInt(10) == 0) {
        processes.get(i).after(time.random.nextInt(5_000) * MILLI, () -> claim.cancel(false));
      }
      if (time.faults > 0 && time.random.nextInt(10) == 0) {
        processes.get(i).stopFor(time.random.nextInt(8_000) * MILLI); // also while it waits
      } else if (time.faults > 0 && i > 0 && time.random.nextInt(20) == 0) {
        processes.get(i).after(time.random.nextInt(3_000) * MILLI, processes.get(i)::die);
      }
    }

    void granted(int i, Grant grant, int wanted) {
      granted++;
      if (exclusive && grant.isHeld()) {
        assertThat(grant.token()).as("seed %s", seed).isGreaterThan(largestToken);
        largestToken = grant.token();
      }
      held.add(new Held(grant, wanted));
      grant.onLost(() -> lost++);
      int fate = time.random.nextInt(20);
      if (time.faults > 0 && fate == 0 && i > 0) {
        processes.get(i).die();
      } else if (time.faults > 0 && fate < 4) {
        processes.get(i).stopFor(time.random.nextInt(8_000) * MILLI);
      }
      processes
          .get(i)
          .after(
              time.random.nextInt(6_000) * MILLI,
              () -> {
                grant.releaseAsync();
                act(i);
              });
    }

    void run(long until) {
      while (time.now() < until && time.step()) {
        int total = held.stream().filter(h -> h.grant.isHeld()).mapToInt(Held::permits).sum();
        assertThat(total).as("seed %s at %s", seed, time.now()).isLessThanOrEqualTo(permits);
        held.removeIf(h -> !h.grant.isHeld());
      }
    }
  }

  private static void simulate(int permits, int seeds) {
    int granted = 0;
    int lost = 0;
    for (long seed = 0; seed < seeds; seed++) {
      World world = new World(seed, permits);

      world.run(25 * SECOND);

      world.time.faults = 0;
      int before = world.granted;
      world.run(world.time.now() + 40 * SECOND);
      assertThat(world.granted).as("seed %s goes on", seed).isGreaterThan(before);
      granted += world.granted;
      lost += world.lost;
    }
    assertThat(granted).isGreaterThan(4 * seeds);
    assertThat(lost).isGreaterThan(seeds / 10);
  }

  @Test
  void aLockIsHeldByOneWhateverHappens() {
    simulate(1, SEEDS);
  }

  @Test
  void aSemaphoreIsNeverGrantedTwiceOver() {
    simulate(5, SEEDS / 4);
  }

  /** One at a time, they would delay the live process by 1.1 leases each. */
  @Test
  void waitingProcessesThatDieDelayTheNextOneByAFewLeasesInAll() {
    int dead = 20;
    long lease = SECOND;
    for (long seed = 0; seed < SEEDS; seed++) {
      ObjectSimulation<PermitState> time = new ObjectSimulation<>(seed, new PermitState(1));
      List<SimulatedProcess<PermitState>> dying = new ArrayList<>();
      for (int i = 0; i < dead; i++) {
        SimulatedProcess<PermitState> process = new SimulatedProcess<>(time);
        new PermitClient(process, Duration.ofNanos(lease)).claim(1, "", Duration.ofDays(1));
        dying.add(process);
      }
      while (time.state.waiting() < dead - 1 && time.step()) {
        assertThat(time.now()).as("seed %s", seed).isLessThan(10 * SECOND);
      }
      SimulatedProcess<PermitState> paused = new SimulatedProcess<>(time);
      CompletableFuture<Optional<Grant>> ofPaused =
          new PermitClient(paused, Duration.ofNanos(lease)).claim(1, "", Duration.ofDays(1));
      SimulatedProcess<PermitState> live = new SimulatedProcess<>(time);
      CompletableFuture<Optional<Grant>> ofLive =
          new PermitClient(live, Duration.ofNanos(lease)).claim(1, "", Duration.ofDays(1));
      while (time.state.waiting() < dead + 1 && time.step()) {
        assertThat(time.now()).as("seed %s", seed).isLessThan(10 * SECOND);
      }
      long died = time.now();
      paused.stopFor(4 * lease);
      dying.forEach(SimulatedProcess::die);

      while (!ofLive.isDone() && time.step()) {
        assertThat(time.now() - died).as("seed %s", seed).isLessThan(6 * lease);
        boolean both = ofPaused.isDone() && ofPaused.join().orElseThrow().isHeld();
        assertThat(both).as("seed %s: the paused process", seed).isFalse();
      }

      assertThat(ofLive.join().orElseThrow().isHeld()).as("seed %s", seed).isTrue();
      ofLive.join().orElseThrow().releaseAsync();
      while (!ofPaused.isDone() && time.step()) {
        assertThat(time.now() - died).as("seed %s", seed).isLessThan(12 * lease);
      }
      assertThat(ofPaused.join()).as("seed %s", seed).isPresent();
    }
  }

  @Test
  void withoutFaultsNothingIsLeftBehind() {
    for (long seed = 0; seed < SEEDS; seed += 8) {
      World world = new World(seed, 2);
      world.run(30 * SECOND);

      world.over = true;
      world.run(world.time.now() + 60 * SECOND);

      assertThat(world.lost).as("seed %s", seed).isZero();
      assertThat(world.time.state.available()).as("seed %s", seed).isEqualTo(2);
      assertThat(world.time.state.waiting()).as("seed %s", seed).isZero();
      assertThat(world.time.step()).as("seed %s has something to do", seed).isFalse();
    }
  }
}
