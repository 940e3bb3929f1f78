package io.ensemble.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.versioning.IndexType;
import io.ensemble.versioning.index.IndexEntry;
import io.ensemble.versioning.index.IndexShard;
import io.ensemble.versioning.index.ShardRef;
import io.ensemble.versioning.index.ValueLocation;
import io.ensemble.versioning.order.Timestamps;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which shards are read for the next additions. */
class InsertionOrderTest {

  private static final Timestamps SPACE = new Timestamps(() -> 0);
  private static final HistoryLimits LIMITS =
      new HistoryLimits(IndexType.SHARDED, 4, 5, 64, 2, 48, 3);

  private final VersionHistory<Long> history = new VersionHistory<>(SPACE, LIMITS, "id");

  /** Adds a shard with versions from ten times its number on. */
  private void shard(int number, int count, long firstSequence, long lastSequence) {
    long first = 10L * number;
    history.shards.add(
        new IndexShard<>(
            number, first, first + count - 1, count, firstSequence, lastSequence, List.of()));
  }

  private void item(long version, long sequence) {
    history.items.add(new IndexEntry<>(version, sequence, new ValueLocation.Removed()));
    history.lastSequence = Math.max(history.lastSequence, sequence);
  }

  private List<Long> needed(long after, int limit) {
    LookupResult look = history.look(VersionQuery.ALL.after(after).limit(limit));
    return look.shards().stream().map(ShardRef::number).toList();
  }

  @Test
  void aShardThatHoldsTheLastOneThatIsWantedIsNeeded() {
    shard(1, 1, 1, 1);
    shard(2, 1, 2, 2);
    shard(3, 1, 3, 3);
    item(100, 4);

    assertThat(needed(0, 1)).containsExactly(1L);
    assertThat(needed(0, 2)).containsExactly(1L, 2L);
    assertThat(needed(1, 1)).containsExactly(2L);
    assertThat(needed(2, 2)).containsExactly(3L);
    assertThat(needed(3, 1)).isEmpty();
  }

  @Test
  void aShardWithLateOnesMayHoldTheNextOnes() {
    shard(1, 4, 1, 90);
    shard(2, 4, 5, 8);
    item(100, 91);

    assertThat(needed(0, 4)).containsExactly(2L, 1L);
    assertThat(needed(8, 4)).containsExactly(1L);
  }

  @Test
  void aShardThatWasToldInPartIsNotCounted() {
    shard(1, 4, 1, 4);
    shard(2, 4, 5, 8);
    item(100, 9);

    assertThat(needed(3, 2)).containsExactly(1L, 2L);
  }

  @Test
  void aShardThatWasCompactedInPartIsNotCounted() {
    shard(1, 4, 1, 4);
    shard(2, 4, 5, 8);
    item(100, 9);
    history.horizon = 13L;

    assertThat(needed(0, 2)).containsExactly(1L, 2L);
    history.horizon = 20L;
    assertThat(needed(0, 2)).containsExactly(2L);
  }

  @Test
  void whatStandsInTheEntryMayBeEnough() {
    shard(1, 4, 10, 13);
    item(5, 3);
    item(6, 2);
    item(100, 14);

    assertThat(needed(0, 2)).isEmpty();
    assertThat(needed(0, 3)).containsExactly(1L);
  }
}
