package io.ensemble.maintenance;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** How long the next rebuild of a cache waits. */
class RebuildHistoryTest {

  private static final Duration DELAY = Duration.ofMinutes(10);
  private static final Map<String, String> NODES =
      Map.of("a", "0000000a", "b", "0000000b", "c", "0000000c");

  private final CacheDefinition definition =
      CacheDefinition.of("c", Mode.MWMR).sites("a", "b", "c").build();
  private final RebuildHistory history = new RebuildHistory(DELAY);
  private StoredDefinition record =
      StoredDefinition.first(definition, "0000000000ca0000000000b2", NODES);
  private long now = Duration.ofHours(1).toNanos();

  private void observe() {
    history.record(record, now);
  }

  private void beginRebuild() {
    record =
        record.with(
            Optional.of(
                ConfigurationChange.begun(definition, NODES, "1".repeat(32), new TreeSet<>())));
    observe();
  }

  private void cancelRebuild() {
    record =
        record.with(record.change().map(change -> change.ending(ChangePhase.ABORTING, List.of())));
    observe();
  }

  private void completeRebuild() {
    beginRebuild();
    record = record.switched();
    observe();
    record = record.with(Optional.empty());
    observe();
  }

  /** Asserts that a node silent from now on leads to a rebuild after exactly this time. */
  private void assertWait(Duration wait) {
    assertThat(history.isDue("c", now, now + wait.toNanos() - 1)).isFalse();
    assertThat(history.isDue("c", now, now + wait.toNanos())).isTrue();
  }

  @Test
  void theFirstRebuildWaitsForTheConfiguredTime() {
    observe();

    assertWait(DELAY);
    assertThat(history.isDue("c", now - DELAY.toNanos(), now)).isTrue();
  }

  @Test
  void theWaitDoublesWithEachEndCompletedOrCancelledUpToItsBound() {
    observe();
    completeRebuild();
    assertWait(DELAY.multipliedBy(2));
    beginRebuild();
    cancelRebuild();
    assertWait(DELAY.multipliedBy(4));
    history.recordFailure("c", now);
    assertWait(DELAY.multipliedBy(8));

    for (int i = 0; i < 100; i++) {
      completeRebuild();
    }
    assertWait(DELAY.multipliedBy(64));
  }

  /** The time counts from the last end, although the node was silent before. */
  @Test
  void theWaitBeginsWithTheEndOfTheLastRebuild() {
    observe();
    long silentSince = now;
    now += DELAY.toNanos();
    completeRebuild();

    assertThat(history.isDue("c", silentSince, now + DELAY.multipliedBy(2).toNanos() - 1))
        .isFalse();
    assertThat(history.isDue("c", silentSince, now + DELAY.multipliedBy(2).toNanos())).isTrue();
  }

  @Test
  void anEndCountsOnce() {
    observe();
    completeRebuild();
    for (int i = 0; i < 10; i++) {
      observe();
    }

    assertWait(DELAY.multipliedBy(2));
  }

  @Test
  void afterTwiceTheLongestWaitWithoutARebuildTheConfiguredTimeCountsAgain() {
    observe();
    completeRebuild();
    now += DELAY.multipliedBy(128).toNanos();
    observe();
    assertWait(DELAY.multipliedBy(2));

    now++;
    observe();
    assertWait(DELAY);
  }

  @Test
  void aCacheDeletedAndCreatedAgainHasNoHistory() {
    observe();
    completeRebuild();
    record = StoredDefinition.first(definition, "0000000000ca0000000000b3", NODES);
    observe();

    assertWait(DELAY);
  }

  @Test
  void aCacheThatIsNotOpenAnyMoreIsForgotten() {
    observe();
    completeRebuild();
    history.retain(Set.of());

    assertWait(DELAY);
  }
}
