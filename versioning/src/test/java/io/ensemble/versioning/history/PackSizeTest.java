package io.ensemble.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.versioning.IndexType;
import io.ensemble.versioning.order.VersionVector;
import io.ensemble.versioning.order.VersionVectors;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Packs have several values, whatever keeps versions in the entry of the key. */
class PackSizeTest {

  private static final VersionVectors SPACE = new VersionVectors("a");
  private static final int PACK_COUNT = 3;
  private static final HistoryLimits LIMITS =
      new HistoryLimits(IndexType.SHARDED, 12, 4, 64, 2, 48, PACK_COUNT);

  private final VersionHistory<VersionVector> history = new VersionHistory<>(SPACE, LIMITS, "id");
  private final List<Integer> packs = new ArrayList<>();

  private void put(String writer, long count) {
    VersionVector version = new VersionVector(new TreeMap<>(Map.of(writer, count)));
    AdditionResult added =
        history.add(
            new Addition(
                SPACE.write(version),
                SPACE.write(SPACE.initial()),
                new byte[10],
                0,
                false,
                null,
                0,
                "",
                SPACE.write(SPACE.initial())),
            null);
    assertThat(added.result()).isEqualTo(AdditionResult.Result.ADDED);
    for (OffloadTask task = history.work(); task.plan() != 0; task = history.work()) {
      task.packs().forEach(pack -> packs.add(pack.values().size()));
      history.done(task.id(), task.plan(), List.of(), List.of());
    }
  }

  /** A head is not moved to a shard, nor is any version after it. */
  @Test
  void aTailThatAHeadKeepsInTheEntryHasNoSmallPacks() {
    put("a", 1);
    for (long count = 1; count <= 60; count++) {
      put("b", count);
    }

    assertThat(history.heads).hasSize(2);
    assertThat(history.shards).isEmpty();
    assertThat(packs).hasSizeGreaterThan(15).containsOnly(PACK_COUNT);
  }
}
