package io.ensemble.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.versioning.IndexType;
import io.ensemble.versioning.history.AdditionResult.Result;
import io.ensemble.versioning.order.Timestamps;
import java.util.List;
import org.junit.jupiter.api.Test;

class AdditionValidatorTest {

  private static final Timestamps SPACE = new Timestamps();
  private final VersionHistory<Long> history =
      new VersionHistory<>(
          SPACE, new HistoryLimits(IndexType.SHARDED, 4, 5, 64, 2, 48, 3), "the present one");

  private static Addition of(long version) {
    return new Addition(
        SPACE.write(version), SPACE.write(0L), new byte[5], 0, false, null, 0, "", SPACE.write(0L));
  }

  @Test
  void aLookIntoAShardOfAFormerHistoryIsNone() {
    long version = 10;
    for (; history.shards.isEmpty(); version += 10) {
      history.add(of(version), null);
      OffloadTask work = history.work();
      if (work.plan() > 0) {
        history.done(work.id(), work.plan(), List.of(), List.of());
      }
    }
    long shard = history.shards.get(0).number();
    Addition late = of(history.shards.get(0).first() + 5);

    assertThat(history.add(late, null).result()).isEqualTo(Result.READ_SHARD_FIRST);
    assertThat(history.add(late.withAbsence("a former one", shard), null).result())
        .isEqualTo(Result.READ_SHARD_FIRST);
    assertThat(history.add(late.withAbsence("the present one", shard), null).result())
        .isEqualTo(Result.ADDED);
  }
}
