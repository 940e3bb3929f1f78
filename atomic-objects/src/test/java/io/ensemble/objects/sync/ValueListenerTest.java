package io.ensemble.objects.sync;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.ensemble.objects.sync.InMemoryProcesses.Process;
import io.ensemble.objects.sync.listener.ListenerRegistration;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Listeners of counters and elections. */
@Execution(ExecutionMode.CONCURRENT)
class ValueListenerTest {

  private final InMemoryProcesses processes = new InMemoryProcesses();
  private final Process a = processes.one();
  private final Process b = processes.one();

  @AfterEach
  void close() {
    processes.close();
  }

  /** Advances the time until a list ends with a value. */
  private <T> void passUntilLast(List<T> seen, T last) {
    await("ends with " + last)
        .pollInSameThread()
        .atMost(60, SECONDS)
        .until(
            () -> {
              processes.pass(Duration.ofMillis(50));
              return !seen.isEmpty() && seen.get(seen.size() - 1).equals(last);
            });
  }

  @Test
  void aListenerGetsThePresentAndTheLastValueOfACounter() {
    SharedCounter observed = a.synchronizers().counter("counter");
    List<Long> seen = new CopyOnWriteArrayList<>();

    ListenerRegistration registration = observed.listen(seen::add);
    passUntilLast(seen, 0L);
    SharedCounter changed = b.synchronizers().counter("counter");
    for (int i = 0; i < 20; i++) {
      changed.incrementAndGet();
    }
    passUntilLast(seen, 20L);

    assertThat(seen).isSorted().doesNotHaveDuplicates();
    registration.close();
    processes.pass(Duration.ofSeconds(2));
    int size = seen.size();
    changed.set(99);
    processes.pass(Duration.ofSeconds(3));
    assertThat(seen).hasSize(size);
    assertThat(processes.clock.alarms()).isZero();
  }

  @Test
  void aFailureOfAListenerDoesNotEndIt() {
    SharedCounter counter = a.synchronizers().counter("counter");
    List<Long> seen = new CopyOnWriteArrayList<>();
    counter.listen(
        value -> {
          seen.add(value);
          throw new IllegalStateException("a listener that fails");
        });
    passUntilLast(seen, 0L);

    counter.set(7);

    passUntilLast(seen, 7L);
  }

  @Test
  void aListenerOutlivesAStoreThatIsDown() {
    SharedCounter counter = a.synchronizers().counter("counter");
    List<Long> seen = new CopyOnWriteArrayList<>();
    counter.listen(seen::add);
    passUntilLast(seen, 0L);
    SharedCounter other = b.synchronizers().counter("counter");
    other.set(7);

    processes.store.down(true);
    processes.clock.leap(Duration.ofSeconds(2));
    processes.store.down(false);

    passUntilLast(seen, 7L);
  }

  @Test
  void aListenerGetsLeadersAsTheyChange() throws Exception {
    LeaderElection observed = a.synchronizers().election("election");
    List<Optional<String>> seen = new CopyOnWriteArrayList<>();
    observed.listen(leader -> seen.add(leader.map(LeaderElection.Leader::announced)));
    passUntilLast(seen, Optional.empty());
    LeaderElection candidates = b.synchronizers().election("election");

    Grant first = candidates.lead("first", Duration.ZERO).orElseThrow();
    passUntilLast(seen, Optional.of("first"));
    processes.pass(Duration.ofSeconds(20)); // with renewals, which are no changes
    first.release();
    passUntilLast(seen, Optional.empty());
    assertThat(candidates.lead("second", Duration.ZERO)).isPresent();
    passUntilLast(seen, Optional.of("second"));

    assertThat(seen)
        .containsExactly(
            Optional.empty(), Optional.of("first"), Optional.empty(), Optional.of("second"));
  }

  @Test
  void aListenerEndsWithItsHandle() {
    SharedCounter counter = a.synchronizers().counter("counter");
    List<Long> seen = new CopyOnWriteArrayList<>();
    counter.listen(seen::add);
    passUntilLast(seen, 0L);

    counter.close();
    processes.pass(Duration.ofSeconds(3));

    assertThat(processes.clock.alarms()).isZero();
  }
}
