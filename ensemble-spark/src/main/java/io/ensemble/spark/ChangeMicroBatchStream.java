package io.ensemble.spark;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeEvent.GapReason;
import io.ensemble.ChangeStream;
import io.ensemble.ListenOptions;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReaderFactory;
import org.apache.spark.sql.connector.read.streaming.MicroBatchStream;
import org.apache.spark.sql.connector.read.streaming.Offset;
import org.apache.spark.sql.connector.read.streaming.ReadLimit;
import org.apache.spark.sql.connector.read.streaming.SupportsTriggerAvailableNow;
import org.apache.spark.util.SerializableConfiguration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The changes of a cache as batches of Spark. The driver reads the stream when Spark asks for the
 * next batch, and writes its changes into the {@linkplain ChangeSpool checkpoint} before Spark
 * learns of them. An offset is the number of a change. At most the batch that Spark works on, and
 * one more, are in the checkpoint.
 *
 * <p>A stream that begins at a position shows of each key the last change since. So a restart, and
 * an overflow of the stream's buffer, cost intermediate values only.
 */
final class ChangeMicroBatchStream implements MicroBatchStream, SupportsTriggerAvailableNow {

  private static final Logger LOG = LoggerFactory.getLogger(ChangeMicroBatchStream.class);

  /** How long a call waits if no change is there. */
  static final Duration FIRST_WAIT = Duration.ofMillis(100);

  /** A batch ends when it has so many bytes of rows. */
  static final long MOST_BATCH_BYTES = 16L << 20;

  /** How often the position is written if nothing changes. */
  static final Duration POSITION_INTERVAL = Duration.ofMinutes(1);

  /** Which gaps end the query. */
  enum FailOnGap {
    /** None; each is a row. */
    FALSE,
    /** Those after which the last change of a key may be missing. Others are left out. */
    TRUE,
    /** All. */
    EVERY;

    boolean isRow() {
      return this == FALSE;
    }

    boolean isFatal(GapReason reason) {
      return this == EVERY
          || this == TRUE && (reason == GapReason.RETENTION || reason == GapReason.UNREADABLE);
    }
  }

  /** The number after the last change of a batch. */
  static final class ChangeNumber extends Offset {
    private final long number;

    ChangeNumber(long number) {
      this.number = number;
    }

    @Override
    public String json() {
      return Long.toString(number);
    }
  }

  /** The means of a stream; tests replace them. */
  record Means(
      Supplier<ChangeSpool> spool,
      Function<ListenOptions<Object>, ChangeStream<Object, Object>> listen,
      Runnable close,
      LongSupplier nanos,
      SerializableConfiguration hadoop) {}

  private final SourceOptions options;
  private final Means means;
  private final ChangeRows rows;
  private @Nullable ChangeSpool spool;
  private @Nullable ChangeStream<Object, Object> stream;
  private boolean hasWritten;
  private long writtenNanos;
  private boolean isAvailableNow;
  private boolean isDrained;

  ChangeMicroBatchStream(SourceOptions options, Means means) {
    this.options = options;
    this.means = means;
    this.rows = new ChangeRows(options);
  }

  @Override
  public Offset initialOffset() {
    return new ChangeNumber(0);
  }

  @Override
  public Offset deserializeOffset(String json) {
    return new ChangeNumber(Long.parseLong(json));
  }

  /** Spark calls the other method. */
  @Override
  public Offset latestOffset() {
    throw new UnsupportedOperationException("the start of the batch must be named");
  }

  @Override
  public ReadLimit getDefaultReadLimit() {
    return ReadLimit.maxRows(options.batchEvents());
  }

  /** The query ends as soon as no change waits. */
  @Override
  public synchronized void prepareForTriggerAvailableNow() {
    isAvailableNow = true;
  }

  /**
   * Reads the next changes, unless some are in the checkpoint that Spark has not seen. The limit is
   * always that of the options.
   *
   * @throws IllegalStateException at a gap that ends the query
   */
  @Override
  public synchronized Offset latestOffset(Offset start, ReadLimit limit) {
    long from = ((ChangeNumber) start).number;
    ChangeSpool opened = spool();
    if (opened.next() < from) {
      throw new IllegalStateException(
          "the checkpoint is at change %d, and its directory of changes ends at %d: begin with a "
                  .formatted(from, opened.next())
              + "new checkpoint, and read the cache; cache="
              + options.cache());
    }
    boolean isEnd = isAvailableNow && isDrained;
    if (opened.next() == from && !isEnd) {
      read(opened);
    }
    return new ChangeNumber(opened.next());
  }

  private ChangeSpool spool() {
    ChangeSpool opened = spool == null ? means.spool().get() : spool;
    spool = opened;
    return opened;
  }

  private ChangeStream<Object, Object> stream(ChangeSpool opened) {
    ChangeStream<Object, Object> present = stream;
    if (present != null) {
      return present;
    }
    ListenOptions<Object> wanted =
        ListenOptions.all().withBuffer(options.bufferEvents(), options.bufferBytes());
    ChangeStream<Object, Object> begun =
        means.listen().apply(opened.position().map(wanted::from).orElse(wanted));
    stream = begun;
    hasWritten = false;
    if (opened.position().isEmpty()) {
      append(opened, begun, List.of()); // From here on nothing is lost.
    }
    return begun;
  }

  private void append(ChangeSpool opened, ChangeStream<?, ?> from, List<byte[]> batch) {
    opened.append(from.position(), batch);
    writtenNanos = means.nanos().getAsLong();
    hasWritten |= !batch.isEmpty();
  }

  private void read(ChangeSpool opened) {
    while (!isRead(opened)) {
      // The buffer has overflowed: as after a restart.
      if (!hasWritten) {
        throw new IllegalStateException(
            "the buffer of changes overflowed before a batch was read: raise 'buffer-events' or "
                + "'buffer-mebibytes'; cache="
                + options.cache());
      }
      LOG.warn(
          "The query is slower than the writers, and shows of each key the last change; cache={}",
          options.cache());
      closeStream();
    }
  }

  /** Writes the next batch; false if the buffer has overflowed. */
  private boolean isRead(ChangeSpool opened) {
    ChangeStream<Object, Object> open = stream(opened);
    List<byte[]> batch = new ArrayList<>();
    long bytes = 0;
    Optional<ChangeEvent<Object, Object>> event = next(open, FIRST_WAIT);
    while (event.isPresent()) {
      if (event.get() instanceof Gap<Object, Object> gap && !options.failOnGap().isRow()) {
        checkGap(gap);
        if (gap.reason() == GapReason.OVERFLOW) {
          return false;
        }
        LOG.info("Intermediate values are missing; cache={} gap={}", options.cache(), gap);
      } else {
        byte[] row = rows.row(event.get());
        batch.add(row);
        bytes += row.length;
        if (batch.size() >= options.batchEvents() || bytes >= MOST_BATCH_BYTES) {
          break;
        }
      }
      event = next(open, Duration.ZERO);
    }
    isDrained = event.isEmpty();
    long since = means.nanos().getAsLong() - writtenNanos;
    if (!batch.isEmpty() || since >= POSITION_INTERVAL.toNanos()) {
      append(opened, open, batch);
    }
    return true;
  }

  private void checkGap(Gap<Object, Object> gap) {
    if (options.failOnGap().isFatal(gap.reason())) {
      closeStream(); // What was read since the last batch is read again.
      throw new IllegalStateException(
          "changes may be missing, and option 'fail-on-gap' is '%s'; cache=%s gap=%s"
              .formatted(
                  options.values().getOrDefault("fail-on-gap", "true"), options.cache(), gap));
    }
  }

  private static Optional<ChangeEvent<Object, Object>> next(
      ChangeStream<Object, Object> open, Duration wait) {
    try {
      return open.next(wait);
    } catch (RuntimeException e) {
      if (Thread.currentThread().isInterrupted()) {
        // By this type Spark recognises that the query was stopped.
        InterruptedIOException interrupted = new InterruptedIOException("the query was stopped");
        interrupted.initCause(e);
        throw new UncheckedIOException(interrupted);
      }
      throw e;
    }
  }

  @Override
  public synchronized InputPartition[] planInputPartitions(Offset start, Offset end) {
    return spool().files(((ChangeNumber) start).number, ((ChangeNumber) end).number).stream()
        .map(file -> new SegmentReaderFactory.SegmentPartition(file.toString()))
        .toArray(InputPartition[]::new);
  }

  @Override
  public PartitionReaderFactory createReaderFactory() {
    return new SegmentReaderFactory(means.hadoop(), rows.schema().length());
  }

  @Override
  public synchronized void commit(Offset end) {
    spool().release(((ChangeNumber) end).number);
  }

  private void closeStream() {
    ChangeStream<Object, Object> open = stream;
    stream = null;
    if (open != null) {
      open.close();
    }
  }

  @Override
  public synchronized void stop() {
    closeStream();
    means.close().run();
  }

  @Override
  public String toString() {
    return "changes of cache " + options.cache();
  }
}
