package io.ensemble.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.versioning.IndexType;
import io.ensemble.versioning.index.EncodedShard;
import io.ensemble.versioning.index.IndexEntry;
import io.ensemble.versioning.index.IndexShard;
import io.ensemble.versioning.index.StoredVersion;
import io.ensemble.versioning.index.ValueLocation;
import io.ensemble.versioning.order.Timestamps;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The first versions of the entry are added to the last shard while it has room for them. */
class ShardGrowthTest {

  private static final Timestamps SPACE = new Timestamps(() -> 0);
  private static final int SHARD_SIZE = 12;
  private static final HistoryLimits LIMITS =
      new HistoryLimits(IndexType.SHARDED, SHARD_SIZE, 4, 64, 2, 48, 3);

  private final VersionHistory<Long> history = new VersionHistory<>(SPACE, LIMITS, "id");

  /** The content of the shards that were written, by their numbers. */
  private final Map<Long, List<IndexEntry<Long>>> written = new HashMap<>();

  private AdditionResult.Result put(long version) {
    return history
        .add(
            new Addition(
                SPACE.write(version),
                SPACE.write(0L),
                new byte[10],
                0,
                false,
                null,
                0,
                "",
                SPACE.write(0L)),
            null)
        .result();
  }

  /** Carries out the plans, as any process would. */
  private void carryOut() {
    for (OffloadTask task = history.work(); task.plan() != 0; task = history.work()) {
      history.done(task.id(), task.plan(), write(task), List.of());
    }
  }

  private List<EncodedShard> write(OffloadTask task) {
    if (task.shard() == 0) {
      return List.of();
    }
    List<IndexEntry<Long>> items =
        new ArrayList<>(written.getOrDefault(task.replaced(), List.of()));
    for (StoredVersion moved : task.items()) {
      items.add(
          new IndexEntry<>(
              SPACE.read(moved.version()),
              moved.sequence(),
              new ValueLocation.Packed(moved.pack(), moved.index())));
    }
    written.put(task.shard(), items);
    IndexShard<Long> shard = IndexShard.of(task.shard(), items);
    return List.of(
        new EncodedShard(
            shard.number(),
            SPACE.write(shard.first()),
            SPACE.write(shard.last()),
            shard.count(),
            shard.firstSequence(),
            shard.lastSequence(),
            shard.packs()));
  }

  private long replacedByPlan() {
    return history.plan instanceof OffloadPlan.Splitting<Long> splitting ? splitting.replaced() : 0;
  }

  private void addUntilTheLastShardIsToGrow() {
    for (long version = 10; replacedByPlan() == 0; version += 10) {
      assertThat(put(version)).isEqualTo(AdditionResult.Result.ADDED);
      OffloadTask task = history.work();
      while (task.plan() != 0 && replacedByPlan() == 0) {
        history.done(task.id(), task.plan(), write(task), List.of());
        task = history.work();
      }
    }
  }

  @Test
  void shardsGrowUntilTheyAreFull() {
    for (long version = 1; version <= 500; version++) {
      put(version);
      carryOut();
      history.swept("id", history.work().garbage());
    }

    assertThat(history.shards.subList(0, history.shards.size() - 1))
        .hasSizeGreaterThan(30)
        .allSatisfy(shard -> assertThat(shard.count()).isBetween(SHARD_SIZE - 4 + 1, SHARD_SIZE));
    List<Long> all = new ArrayList<>();
    history.shards.forEach(s -> written.get(s.number()).forEach(i -> all.add(i.version())));
    history.items.forEach(i -> all.add(i.version()));
    assertThat(all).hasSize(500).isSorted().doesNotHaveDuplicates();
    assertThat(history.items.size()).isLessThanOrEqualTo(5);
  }

  @Test
  void aShardThatGrewIsGarbage() {
    addUntilTheLastShardIsToGrow();
    long replaced = replacedByPlan();

    carryOut();

    assertThat(history.garbage).contains(replaced);
    assertThat(history.shards).noneMatch(s -> s.number() == replaced);
  }

  @Test
  void aVersionBetweenThoseToBeMovedEndsThePlan() {
    addUntilTheLastShardIsToGrow();
    long number = history.work().plan();
    long between = SPACE.read(history.work().items().get(0).version()) + 1;

    put(between);

    assertThat(history.garbage).contains(number);
    carryOut();
    assertThat(
            history.look(VersionQuery.ALL).items().size()
                + history.shards.stream().mapToInt(IndexShard::count).sum())
        .isEqualTo(history.lastSequence);
  }

  /** Otherwise no process could carry the plan out: the shard that is to grow is gone. */
  @Test
  void aCompactionOfTheShardEndsThePlan() {
    addUntilTheLastShardIsToGrow();
    long number = history.work().plan();
    byte[] first = history.work().items().get(0).version();

    history.compact(first);

    assertThat(history.shards).isEmpty();
    assertThat(history.garbage).contains(number);
    assertThat(replacedByPlan()).isZero();
  }

  @Test
  void aReportThatComesTwiceChangesNothing() {
    addUntilTheLastShardIsToGrow();
    OffloadTask task = history.work();
    List<EncodedShard> notes = write(task);

    history.done(task.id(), task.plan(), notes, List.of(task.shard()));
    int shards = history.shards.size();
    List<Long> garbage = List.copyOf(history.garbage);
    history.done(task.id(), task.plan(), notes, List.of(task.shard()));

    assertThat(history.shards).hasSize(shards);
    assertThat(history.garbage).isEqualTo(garbage);
  }
}
