package io.ensemble.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeEvent.Kind;
import io.ensemble.ChangeStamp;
import io.ensemble.ChangeStream;
import io.ensemble.ListenOptions;
import io.ensemble.stamp.Stamp;
import io.ensemble.stamp.WriterId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionStage;
import org.apache.hadoop.conf.Configuration;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.execution.streaming.CheckpointFileManager;
import org.apache.spark.util.SerializableConfiguration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Batches of changes, and the files of them, over streams of a script. Needs no running Spark. */
class ChangeMicroBatchStreamTest {

  @TempDir private Path checkpoint;

  private final Map<String, String> settings =
      new HashMap<>(Map.of("cache", "c", "catalog", "none", "value-type", "long"));
  // What the next streams show, each beginning where a position says.
  private final Deque<List<ChangeEvent<Object, Object>>> scripts = new ArrayDeque<>();
  private final List<String> begun = new ArrayList<>();
  private int open;
  private long nanos;

  private ChangeSpool spool() {
    Configuration hadoop = new Configuration();
    org.apache.hadoop.fs.Path directory =
        new org.apache.hadoop.fs.Path(checkpoint.resolve("changes").toUri());
    return new ChangeSpool(
        CheckpointFileManager.create(directory, hadoop),
        directory,
        ChangeRows.schema(new SourceOptions(settings)).json());
  }

  private ChangeMicroBatchStream stream() {
    return new ChangeMicroBatchStream(
        new SourceOptions(settings),
        new ChangeMicroBatchStream.Means(
            this::spool,
            this::listen,
            () -> {},
            () -> nanos,
            new SerializableConfiguration(new Configuration())));
  }

  private ChangeStream<Object, Object> listen(ListenOptions<Object> options) {
    String from = options.from().orElse("now");
    begun.add(from);
    open++;
    Deque<ChangeEvent<Object, Object>> events =
        new ArrayDeque<>(scripts.isEmpty() ? List.of() : scripts.remove());
    return new ScriptedStream(from, events);
  }

  /** Shows events; its positions name where it began, and how many it has shown. */
  private final class ScriptedStream implements ChangeStream<Object, Object> {
    private final String from;
    private final Deque<ChangeEvent<Object, Object>> events;
    private int shown;

    private ScriptedStream(String from, Deque<ChangeEvent<Object, Object>> events) {
      this.from = from;
      this.events = events;
    }

    @Override
    public Optional<ChangeEvent<Object, Object>> next(Duration timeout) {
      if (Thread.currentThread().isInterrupted()) {
        throw new CancellationException("interrupted");
      }
      ChangeEvent<Object, Object> event = events.poll();
      shown += event == null ? 0 : 1;
      return Optional.ofNullable(event);
    }

    @Override
    public CompletionStage<Optional<ChangeEvent<Object, Object>>> nextAsync(Duration timeout) {
      throw new AssertionError("not used");
    }

    @Override
    public String position() {
      return from + "+" + shown;
    }

    @Override
    public void close() {
      open--;
    }
  }

  private static ChangeStamp stamp(long micros) {
    return new ChangeStamp(1, new Stamp(micros, WriterId.NONE));
  }

  private static ChangeEvent<Object, Object> change(String key, @Nullable Long value) {
    return new Change<>(value == null ? Kind.REMOVED : Kind.MODIFIED, key, value, stamp(7));
  }

  private static ChangeEvent<Object, Object> gap(GapReason reason) {
    return new Gap<>(reason, Optional.empty(), stamp(1), stamp(9), OptionalLong.empty());
  }

  /** Changes of the keys from {@code k<from>} to below {@code k<to>}. */
  private static List<ChangeEvent<Object, Object>> changes(int from, int to) {
    List<ChangeEvent<Object, Object>> all = new ArrayList<>();
    for (int i = from; i < to; i++) {
      all.add(change("k" + i, (long) i));
    }
    return all;
  }

  private static Offset latest(ChangeMicroBatchStream stream, Offset start) {
    return stream.latestOffset(start, stream.getDefaultReadLimit());
  }

  private static Offset at(ChangeMicroBatchStream stream, long number) {
    return stream.deserializeOffset(Long.toString(number));
  }

  private static List<String> rows(ChangeMicroBatchStream stream, Offset start, Offset end) {
    List<String> rows = new ArrayList<>();
    for (InputPartition partition : stream.planInputPartitions(start, end)) {
      try (PartitionReader<InternalRow> reader =
          stream.createReaderFactory().createReader(partition)) {
        while (reader.next()) {
          InternalRow row = reader.get();
          rows.add(
              "%s %s %s %s"
                  .formatted(
                      row.isNullAt(0) ? null : row.getString(0),
                      row.getString(1),
                      row.isNullAt(2) ? "-" : row.getLong(2),
                      row.isNullAt(3) ? row.getString(4) : row.getString(3)));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return rows;
  }

  private static String row(ChangeEvent<Object, Object> event) {
    Change<Object, Object> change = (Change<Object, Object>) event;
    return "%s %s %s %s"
        .formatted(
            change.key(),
            change.kind(),
            change.value() == null ? "-" : change.value(),
            change.stamp());
  }

  private static List<String> expected(List<ChangeEvent<Object, Object>> events) {
    return events.stream().map(ChangeMicroBatchStreamTest::row).toList();
  }

  @Test
  void batchesAreBoundedAndARestartGetsTheSameOnes() {
    settings.put("batch-events", "10");
    List<ChangeEvent<Object, Object>> all = changes(0, 24);
    all.add(change("k3", null));
    scripts.add(all);
    ChangeMicroBatchStream first = stream();
    Offset begin = first.initialOffset();
    Offset ten = latest(first, begin);
    assertThat(ten.json()).isEqualTo("10");
    assertThat(latest(first, begin)).isEqualTo(ten); // Spark has not seen it: nothing more is read.
    Offset twenty = latest(first, ten);
    first.commit(ten);
    first.stop();

    ChangeMicroBatchStream second = stream();
    assertThat(rows(second, at(second, 10), at(second, 20)))
        .isEqualTo(expected(all.subList(10, 20)));
    assertThat(latest(second, ten)).isEqualTo(twenty);
    scripts.add(all.subList(20, 25));
    Offset end = latest(second, twenty);

    assertThat(end.json()).isEqualTo("25");
    assertThat(rows(second, twenty, end)).isEqualTo(expected(all.subList(20, 25)));
    assertThat(begun).containsExactly("now", "now+20");
    second.stop();
    assertThat(open).isZero();
  }

  @Test
  void thePositionIsDurableBeforeTheFirstChangeAndWhileNothingChanges() {
    ChangeMicroBatchStream first = stream();
    assertThat(latest(first, first.initialOffset()).json()).isEqualTo("0");
    first.stop();
    assertThat(spool().position()).contains("now+0");

    ChangeMicroBatchStream second = stream();
    for (int i = 0; i < 100; i++) {
      assertThat(latest(second, at(second, 0)).json()).isEqualTo("0");
      nanos += ChangeMicroBatchStream.POSITION_INTERVAL.toNanos();
    }
    assertThat(spool().position()).contains("now+0+0");
    assertThat(spool().size()).isEqualTo(1);
  }

  @Test
  void committedChangesAreDeletedAndOthersAreNot() {
    settings.put("batch-events", "1");
    scripts.add(changes(0, 50));
    ChangeMicroBatchStream stream = stream();
    Offset from = stream.initialOffset();
    for (int i = 0; i < 50; i++) {
      Offset to = latest(stream, from);
      assertThat(rows(stream, from, to)).hasSize(1);
      stream.commit(from); // As Spark: the batch before.
      assertThat(spool().size()).isLessThanOrEqualTo(2);
      from = to;
    }
    stream.commit(from);

    assertThat(spool().size()).isEqualTo(1);
    assertThat(spool().next()).isEqualTo(50);
    assertThatIllegalStateException()
        .isThrownBy(() -> stream.planInputPartitions(at(stream, 48), at(stream, 50)))
        .withMessageContaining("has not the changes [48, 50)");
  }

  @Test
  void aGapThatMayHideALastChangeFailsTheQueryEachTime() {
    List<ChangeEvent<Object, Object>> all = changes(0, 3);
    all.add(gap(GapReason.RETENTION));
    scripts.add(all);
    scripts.add(all);
    ChangeMicroBatchStream stream = stream();
    Offset begin = stream.initialOffset();

    for (int i = 0; i < 2; i++) {
      assertThatIllegalStateException()
          .isThrownBy(() -> latest(stream, begin))
          .withMessageContaining("'fail-on-gap' is 'true'");
    }
    assertThat(open).isZero();
    assertThat(begun).containsExactly("now", "now+0");
    assertThat(spool().next()).isZero();
  }

  @Test
  void aGapIsARowIfItMayNotFailTheQuery() {
    settings.put("fail-on-gap", "FALSE");
    scripts.add(List.of(change("a", 1L), gap(GapReason.OVERFLOW), gap(GapReason.RETENTION)));
    ChangeMicroBatchStream stream = stream();

    Offset end = latest(stream, stream.initialOffset());

    assertThat(rows(stream, stream.initialOffset(), end))
        .containsExactly(row(change("a", 1L)), "null GAP - OVERFLOW", "null GAP - RETENTION");
  }

  @Test
  void aGapOfIntermediateValuesFailsTheQueryOnlyOnDemand() {
    scripts.add(List.of(gap(GapReason.OVERWRITTEN), change("a", 1L), gap(GapReason.RESUMED)));
    ChangeMicroBatchStream stream = stream();
    assertThat(latest(stream, stream.initialOffset()).json()).isEqualTo("1");

    settings.put("fail-on-gap", "every");
    scripts.add(List.of(gap(GapReason.RESUMED)));
    ChangeMicroBatchStream strict = stream();
    assertThatIllegalStateException()
        .isThrownBy(() -> latest(strict, at(strict, 1)))
        .withMessageContaining("RESUMED");
  }

  @Test
  void anOverflowBeginsTheStreamAgainAfterTheLastBatch() {
    settings.put("batch-events", "2");
    List<ChangeEvent<Object, Object>> overflowing = changes(0, 3);
    overflowing.add(gap(GapReason.OVERFLOW));
    scripts.add(overflowing);
    scripts.add(changes(2, 9)); // The third change is shown again.
    ChangeMicroBatchStream stream = stream();
    Offset two = latest(stream, stream.initialOffset());

    Offset four = latest(stream, two);

    assertThat(rows(stream, two, four)).isEqualTo(expected(changes(2, 4)));
    assertThat(begun).containsExactly("now", "now+2");
    assertThat(open).isEqualTo(1);
  }

  @Test
  void anOverflowBeforeTheFirstBatchFailsTheQuery() {
    List<ChangeEvent<Object, Object>> overflowing = changes(0, 3);
    overflowing.add(gap(GapReason.OVERFLOW));
    scripts.add(overflowing);
    ChangeMicroBatchStream stream = stream();

    assertThatIllegalStateException()
        .isThrownBy(() -> latest(stream, stream.initialOffset()))
        .withMessageContaining("raise 'buffer-events'");
  }

  @Test
  void aCheckpointWithoutItsChangesIsRefused() {
    ChangeMicroBatchStream stream = stream();

    assertThatIllegalStateException()
        .isThrownBy(() -> latest(stream, at(stream, 5)))
        .withMessageContaining("is at change 5, and its directory of changes ends at 0");
    assertThat(begun).isEmpty();
  }

  @Test
  void aRestartWithOtherColumnsIsRefused() {
    scripts.add(changes(0, 1));
    ChangeMicroBatchStream stream = stream();
    latest(stream, stream.initialOffset());
    settings.put("value-type", "int");
    ChangeMicroBatchStream other = stream();

    assertThatIllegalArgumentException()
        .isThrownBy(() -> latest(other, at(other, 1)))
        .withMessageContaining("must stay those of the checkpoint");
  }

  @Test
  void aQueryOfWhatIsAvailableEndsWhenNoChangeWaits() {
    settings.put("batch-events", "2");
    scripts.add(changes(0, 3));
    ChangeMicroBatchStream stream = stream();
    stream.prepareForTriggerAvailableNow();
    Offset two = latest(stream, stream.initialOffset());
    Offset three = latest(stream, two);

    assertThat(three.json()).isEqualTo("3");
    assertThat(latest(stream, three)).isEqualTo(three);
  }

  @Test
  void anInterruptIsWhatSparkTakesForTheEndOfTheQuery() {
    ChangeMicroBatchStream stream = stream();
    Offset begin = latest(stream, stream.initialOffset());
    Thread.currentThread().interrupt();
    try {
      assertThatThrownBy(() -> latest(stream, begin))
          .isInstanceOf(UncheckedIOException.class)
          .hasRootCauseInstanceOf(CancellationException.class);
    } finally {
      Thread.interrupted();
    }
  }
}
