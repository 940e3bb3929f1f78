package io.ensemble.versioning.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.versioning.IndexType;
import io.ensemble.versioning.index.EncodedShard;
import io.ensemble.versioning.index.IndexEntry;
import io.ensemble.versioning.index.IndexEntryCodec;
import io.ensemble.versioning.index.IndexShard;
import io.ensemble.versioning.index.PackCodec;
import io.ensemble.versioning.index.ValueLocation;
import io.ensemble.versioning.order.HybridTime;
import io.ensemble.versioning.order.HybridTimes;
import io.ensemble.versioning.order.Timestamps;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HistoryEncodingTest {

  private static final Timestamps SPACE = new Timestamps(() -> 0);
  private static final HistoryLimits LIMITS =
      new HistoryLimits(IndexType.SHARDED, 4, 5, 64, 2, 48, 3);

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void packsAreReadAsTheyWereWritten(boolean deltas) {
    Random random = new Random(1);
    for (int round = 0; round < 200; round++) {
      List<byte[]> values = new ArrayList<>();
      byte[] value = new byte[random.nextInt(3_000)];
      random.nextBytes(value);
      for (int i = 0; i < random.nextInt(20); i++) {
        value = Arrays.copyOf(value, Math.max(0, value.length + random.nextInt(50) - 25));
        if (value.length > 0) {
          value[random.nextInt(value.length)]++;
        }
        values.add(value.clone());
      }

      List<byte[]> read = PackCodec.read(PackCodec.write(values, deltas));

      assertThat(read).usingElementComparator(Arrays::compare).isEqualTo(values);
    }
  }

  @Test
  void valuesThatAreAlikeTakeLittleAsDeltas() {
    byte[] value = new byte[1_000];
    new Random(1).nextBytes(value);
    List<byte[]> values = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      value[i]++;
      values.add(value.clone());
    }

    assertThat(PackCodec.write(values, true)).hasSizeLessThan(1_500);
    assertThat(PackCodec.write(values, false)).hasSizeGreaterThan(10_000);
  }

  /** Includes plans of each kind, and a history without versions. */
  @Test
  void historiesAreReadAsTheyWereWritten() {
    VersionHistoryCodec<Long> codec = new VersionHistoryCodec<>(SPACE, LIMITS);
    Random random = new Random(1);
    boolean packing = false;
    boolean splitting = false;
    boolean merging = false;
    VersionHistory<Long> history = new VersionHistory<>(SPACE, LIMITS, "id");
    for (int step = 0; step < 2_000; step++) {
      byte[] bytes = codec.write(history);
      VersionHistory<Long> read = codec.read(bytes);
      assertThat(codec.write(read)).isEqualTo(bytes);
      assertThat(read.inlineBytes).isEqualTo(history.inlineBytes);
      assertThat(read.inlineCount).isEqualTo(history.inlineCount);
      history = read;
      packing |= history.plan instanceof OffloadPlan.Packing;
      splitting |= history.plan instanceof OffloadPlan.Splitting;
      merging |= history.plan instanceof OffloadPlan.Merging;
      step(history, random, step);
    }
    assertThat(packing && splitting && merging).isTrue();
  }

  private static void step(VersionHistory<Long> history, Random random, int step) {
    byte[] version = SPACE.write(1L + random.nextInt(500));
    switch (random.nextInt(step % 700 == 0 ? 1 : 8)) {
      case 0 -> history.swept(history.id, history.work().garbage());
      case 1, 2 -> carryOut(history);
      case 3 ->
          history.raise(SPACE.write(Math.min(history.top, 5L + step / 100)), VersionQuery.last());
      default ->
          history.add(
              new Addition(
                  random.nextBoolean() ? version : null,
                  SPACE.write(0L),
                  random.nextInt(9) == 0 ? null : new byte[random.nextInt(40)],
                  0,
                  false,
                  null,
                  history.shards.isEmpty() ? 0 : anyShard(history, random),
                  history.id,
                  SPACE.write(0L)),
              null);
    }
  }

  private static long anyShard(VersionHistory<Long> history, Random random) {
    return history.shards.get(random.nextInt(history.shards.size())).number();
  }

  /** Carries out the plan. A merge keeps the bounds of its shard, which cannot be read here. */
  private static void carryOut(VersionHistory<Long> history) {
    OffloadTask work = history.work();
    if (work.plan() == 0) {
      return;
    }
    List<EncodedShard> notes = new ArrayList<>();
    if (history.plan instanceof OffloadPlan.Merging<Long> merging) {
      IndexShard<Long> before =
          history.shards.stream().filter(s -> s.number() == merging.replaced()).findAny().get();
      notes.add(
          new EncodedShard(
              merging.number(),
              SPACE.write(before.first()),
              SPACE.write(before.last()),
              before.count() + work.items().size(),
              before.firstSequence(),
              history.lastSequence,
              before.packs()));
    }
    history.done(work.id(), work.plan(), notes, List.of());
  }

  @Test
  void bytesThatAreCutOrChangedAreNoHistories() {
    VersionHistoryCodec<Long> codec = new VersionHistoryCodec<>(SPACE, LIMITS);
    VersionHistory<Long> history = new VersionHistory<>(SPACE, LIMITS, "id");
    for (int i = 0; i < 30; i++) {
      history.add(
          new Addition(null, SPACE.write(0L), new byte[5], 0, false, null, 0, "", SPACE.write(0L)),
          null);
    }
    byte[] bytes = codec.write(history);
    for (int length = 0; length < bytes.length; length++) {
      byte[] cut = Arrays.copyOf(bytes, length);
      assertThatThrownBy(() -> codec.read(cut)).isInstanceOf(IllegalArgumentException.class);
    }
    Random random = new Random(1);
    for (int i = 0; i < 5_000; i++) {
      byte[] changed = bytes.clone();
      changed[random.nextInt(changed.length)] = (byte) random.nextInt();
      try {
        codec.read(changed);
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageNotContaining("null");
      }
    }
  }

  @Test
  void shardsAreReadAsTheyWereWritten() {
    List<IndexEntry<Long>> items = new ArrayList<>();
    for (long i = 1; i < 300; i++) {
      items.add(new IndexEntry<>(i * i, 300 - i, new ValueLocation.Packed(i / 7, (int) (i % 7))));
    }
    items.add(new IndexEntry<>(1_000_000L, 400, new ValueLocation.Removed()));

    byte[] bytes = IndexEntryCodec.write(SPACE, items);

    assertThat(IndexEntryCodec.read(SPACE, bytes)).isEqualTo(items);
    assertThat(bytes.length / items.size()).as("bytes an item").isLessThan(7);
  }

  @Test
  void shardsInAnyOrderAreReadAsTheyWereWritten() {
    Random random = new Random(1);
    for (int round = 0; round < 200; round++) {
      List<IndexEntry<HybridTime>> items = new ArrayList<>();
      for (int i = 0; i < random.nextInt(30); i++) {
        ValueLocation place =
            switch (random.nextInt(3)) {
              case 0 -> new ValueLocation.Inline(new byte[random.nextInt(9)]);
              case 1 -> new ValueLocation.Removed();
              default -> new ValueLocation.Packed(1 + random.nextInt(3), random.nextInt(3));
            };
        items.add(
            new IndexEntry<>(
                new HybridTime(
                    random.nextLong() >>> 1 + random.nextInt(63),
                    random.nextInt() >>> 1 + random.nextInt(31)),
                1 + random.nextInt(40),
                place));
      }
      HybridTimes space = new HybridTimes();

      List<IndexEntry<HybridTime>> read =
          IndexEntryCodec.read(space, IndexEntryCodec.write(space, items));

      assertThat(read).usingRecursiveComparison().isEqualTo(items);
    }
  }

  /** The key would have no readable entry any more. */
  @Test
  void aListThatIsTooLongToBeReadIsNotWritten() {
    VersionHistory<Long> history = new VersionHistory<>(SPACE, LIMITS, "id");
    VersionHistoryCodec<Long> codec = new VersionHistoryCodec<>(SPACE, LIMITS);
    LongStream.rangeClosed(1, 1 << 20).forEach(history.garbage::add);
    assertThat(codec.read(codec.write(history)).garbage).isEqualTo(history.garbage);

    history.garbage.add(history.garbage.size() + 1L);

    assertThatThrownBy(() -> codec.write(history))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("a list must have at most 1048576 numbers; got 1048577");
  }

  /** A reader never takes one format for another. */
  @Test
  void anEarlierFormatIsRefused() {
    byte[] history =
        new VersionHistoryCodec<>(SPACE, LIMITS).write(new VersionHistory<>(SPACE, LIMITS, "id"));
    history[0]--;
    byte[] shard = IndexEntryCodec.write(SPACE, List.<IndexEntry<Long>>of());
    shard[0]--;

    assertThatThrownBy(() -> new VersionHistoryCodec<>(SPACE, LIMITS).read(history))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected format 4; got 3");
    assertThatThrownBy(() -> IndexEntryCodec.read(SPACE, shard))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("expected format 2; got 1");
  }
}
