package io.ensemble.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.catalog.VirtualTimeScheduler;
import io.ensemble.catalog.definition.InMemoryDefinitions;
import io.ensemble.catalog.task.DelayedTaskEntries;
import io.ensemble.catalog.task.TaskEntries;
import io.ensemble.catalog.task.TaskEntry;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The owner of a task; each process has a clock of its own. */
class TaskLeaseTest {

  private static final String ONE = "1".repeat(32);
  private static final String TWO = "2".repeat(32);

  private final TaskEntries tasks = new InMemoryDefinitions().tasks();
  private final VirtualTimeScheduler clockOfOne = new VirtualTimeScheduler();
  private final VirtualTimeScheduler clockOfTwo = new VirtualTimeScheduler();
  private final TaskLease one = new TaskLease(tasks, "t", ONE, clockOfOne);
  private final TaskLease two = new TaskLease(tasks, "t", TWO, clockOfTwo);

  private static boolean beats(TaskLease process) {
    return process.beat(Map.of()).toCompletableFuture().join();
  }

  private TaskEntry record() {
    return tasks.get("t").toCompletableFuture().join().orElseThrow();
  }

  private void passes(Duration time) {
    clockOfOne.advance(time);
    clockOfTwo.advance(time);
  }

  @Test
  void theFirstOwnsItForAsLongAsItBeats() {
    assertThat(beats(one)).isTrue();
    for (int i = 0; i < 10; i++) {
      assertThat(beats(two)).isFalse();
      passes(TaskLease.BEAT);
      assertThat(beats(one)).isTrue();
    }

    assertThat(one.isMine()).isTrue();
    assertThat(two.isMine()).isFalse();
    assertThat(record().fence()).isEqualTo(one.fence()).isOne();
    assertThat(record().revision()).isEqualTo(11);
  }

  @Test
  void aSilentOwnerIsFollowedAfterThreeBeatsThatTheObserverMissed() {
    beats(one);
    passes(Duration.ofHours(1));
    assertThat(beats(two)).as("seen for the first time").isFalse();
    passes(TaskLease.BEAT);
    assertThat(beats(two)).isFalse();
    passes(TaskLease.BEAT.multipliedBy(2).minusNanos(1));
    assertThat(beats(two)).isFalse();
    passes(Duration.ofNanos(1));

    assertThat(beats(two)).isTrue();
    assertThat(two.fence()).isEqualTo(2);
  }

  @Test
  void anOwnerThatSleepsHoldsItselfForTheOwnerNoMore() {
    beats(one);
    beats(two);
    passes(TaskLease.BEAT.multipliedBy(2));
    assertThat(one.isMine()).as("before anybody can have taken over").isFalse();
    assertThat(beats(two)).isFalse();
    passes(TaskLease.BEAT);
    assertThat(beats(two)).isTrue();

    assertThat(beats(one)).as("it meets the other").isFalse();
    assertThat(one.fence()).isZero();
    assertThat(record().owner()).isEqualTo(TWO);
  }

  @Test
  void whileTheCatalogIsAwayNobodyIsSilent() {
    beats(one);
    beats(two);
    passes(TaskLease.BEAT.multipliedBy(2));
    assertThat(beats(two)).isFalse();
    passes(TaskLease.BEAT.multipliedBy(10)); // Without reads or writes.

    assertThat(beats(two)).isFalse();
    assertThat(beats(one)).as("it is heard again").isTrue();
    assertThat(beats(two)).isFalse();
    passes(TaskLease.BEAT.multipliedBy(2));
    assertThat(beats(two)).isFalse();
    passes(TaskLease.BEAT);
    assertThat(beats(two)).isTrue();
  }

  @Test
  void itIsCountedFromBeforeTheBeatWasAskedFor() {
    DelayedTaskEntries slow = new DelayedTaskEntries();
    slow.now().create(TaskEntry.first("t", ONE, Map.of())).toCompletableFuture().join();
    TaskLease late = new TaskLease(slow.held(), "t", ONE, clockOfOne);
    var beat = late.beat(Map.of());
    clockOfOne.advance(TaskLease.BEAT.multipliedBy(2));

    slow.letGo();

    assertThat(beat.toCompletableFuture().join()).isTrue();
    assertThat(late.isMine()).isFalse();
  }

  @Test
  void ofTwoThatFollowAtOnceOneIsIt() {
    tasks.create(TaskEntry.first("t", "0".repeat(32), Map.of())).toCompletableFuture().join();
    beats(one);
    beats(two);
    passes(TaskLease.BEAT.multipliedBy(2));
    beats(one);
    beats(two);
    passes(TaskLease.BEAT);

    assertThat(beats(one)).isTrue();
    assertThat(beats(two)).isFalse();
    assertThat(record().fence()).isEqualTo(2);
  }

  @Test
  void whoFindsItFreeAndIsNotTheQuickestDoesNotOwnIt() {
    DelayedTaskEntries slow = new DelayedTaskEntries();
    TaskLease late = new TaskLease(slow.held(), "t", TWO, clockOfTwo);
    var beat = late.beat(Map.of());
    beats(new TaskLease(slow.now(), "t", ONE, clockOfOne));

    slow.letGo();

    assertThat(beat.toCompletableFuture().join()).isFalse();
    assertThat(late.isMine()).isFalse();
  }

  @Test
  void aReleasedTaskIsFreeImmediately() {
    beats(one);
    beats(two);

    assertThat(one.release().toCompletableFuture().join()).isTrue();

    assertThat(one.isMine()).isFalse();
    assertThat(beats(two)).isTrue();
    assertThat(one.release().toCompletableFuture().join()).as("not its own any more").isFalse();
  }

  @Test
  void whatTheOwnerFoundIsThereForOthers() {
    one.beat(Map.of("state", "SUSPECTED")).toCompletableFuture().join();

    assertThat(record().notes()).containsEntry("state", "SUSPECTED");
  }
}
