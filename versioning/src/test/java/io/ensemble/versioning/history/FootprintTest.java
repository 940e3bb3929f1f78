package io.ensemble.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.versioning.IndexType;
import io.ensemble.versioning.index.IndexShard;
import io.ensemble.versioning.order.Timestamps;
import io.ensemble.versioning.order.VersionSpace;
import io.ensemble.versioning.order.VersionVector;
import io.ensemble.versioning.order.VersionVectors;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class FootprintTest {

  private static <T> VersionHistory<T> history(VersionSpace<T> space) {
    return new VersionHistory<>(space, HistoryLimits.of(IndexType.AUTO, 1000), "id");
  }

  @Test
  void packsOfShardsCount() {
    VersionHistory<Long> history = history(new Timestamps(() -> 0));
    history.shards.add(
        new IndexShard<>(1, 1L, 1000L, 1000, 1, 1000, LongStream.range(2, 1002).boxed().toList()));

    assertThat(Footprint.bytes(history)).isBetween(16_000, 40_000);
  }

  @Test
  void longVersionsCount() {
    VersionHistory<VersionVector> history = history(new VersionVectors("writer"));
    VersionVector long20 =
        new VersionVector(
            new TreeMap<>(
                IntStream.range(0, 20)
                    .boxed()
                    .collect(Collectors.toMap(w -> "writer " + (10 + w), w -> 1L))));
    history.add(
        new Addition(
            history.space.write(long20),
            history.space.write(long20),
            new byte[10],
            0,
            false,
            null,
            0,
            "",
            history.space.write(VersionVector.NONE)),
        null);

    assertThat(history.items).hasSize(1);
    assertThat(Footprint.bytes(history)).isBetween(1_000, 10_000);
  }
}
