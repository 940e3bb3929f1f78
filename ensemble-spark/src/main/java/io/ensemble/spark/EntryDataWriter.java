package io.ensemble.spark;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.WriteOutcome;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.connector.write.DataWriter;
import org.apache.spark.sql.connector.write.WriterCommitMessage;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import scala.Function1;

/**
 * Writes the rows of a task, at most {@value #UNDER_WAY} at a time. A write that was refused, or
 * whose outcome is unknown, is repeated: it is an unconditional put of the same value, or depends
 * on the {@linkplain WriteIdentity identity} of the present one. Rows with the same key are written
 * in their order. For one thread.
 */
final class EntryDataWriter implements DataWriter<InternalRow> {

  static final int UNDER_WAY = 64;
  static final int ATTEMPTS = 3;

  /**
   * A write whose outcome is not known yet.
   *
   * @param identity of the value; empty if values have none
   */
  private record Pending(
      Object value, String identity, CompletableFuture<WriteOutcome<Object>> outcome) {}

  private final AsyncEnsembleCache<Object, Object> cache;
  private final Runnable close;
  private final StructType schema;
  private final ValueMapping<Object> mapping;
  private final Function1<Object, Object>[] converters;
  private final @Nullable WriteIdentity identities;
  private long rows;
  // In the order of their beginning.
  private final Map<Object, Pending> pending = new LinkedHashMap<>();

  /**
   * @param identities of the values; null if they have none
   */
  @SuppressWarnings("unchecked") // The mapping is that of the cache's values.
  EntryDataWriter(
      SourceOptions options,
      AsyncEnsembleCache<Object, Object> cache,
      @Nullable WriteIdentity identities,
      Runnable close) {
    this.cache = cache;
    this.identities = identities;
    this.close = close;
    this.schema = options.schema();
    this.mapping = (ValueMapping<Object>) options.mapping();
    this.converters = new Function1[schema.length()];
    for (int i = 0; i < converters.length; i++) {
      converters[i] = CatalystTypeConverters.createToScalaConverter(schema.apply(i).dataType());
    }
  }

  @Override
  public void write(InternalRow row) {
    Object[] columns = new Object[converters.length];
    for (int i = 0; i < columns.length; i++) {
      columns[i] = converters[i].apply(row.get(i, schema.apply(i).dataType()));
    }
    Object key = columns[0];
    Object[] others = new Object[columns.length - 1];
    System.arraycopy(columns, 1, others, 0, others.length);
    String identity = "";
    if (identities != null) {
      identity = identities.of(rows++);
      others[identities.column()] = identity;
    }
    Row valueRow = RowFactory.create(others);
    Object value = mapping.fromRow(valueRow);
    if (key == null || value == null) {
      throw new IllegalArgumentException(
          "a row to be written must have a key and a value; key=" + key);
    }
    put(key instanceof byte[] bytes ? ByteBuffer.wrap(bytes) : key, key, value, identity);
  }

  /**
   * @param comparable equal for equal keys
   */
  private void put(Object comparable, Object key, Object value, String identity) {
    Pending former = pending.get(comparable);
    if (former != null) {
      finish(comparable, former);
    }
    if (pending.size() == UNDER_WAY) {
      Map.Entry<Object, Pending> first = pending.entrySet().iterator().next();
      finish(first.getKey(), first.getValue());
    }
    pending.put(comparable, new Pending(value, identity, sent(key, value, identity)));
  }

  private void finish(Object comparable, Pending put) {
    Object key = comparable instanceof ByteBuffer bytes ? bytes.array() : comparable;
    CompletableFuture<WriteOutcome<Object>> sent = put.outcome;
    for (int attempt = 1; ; attempt++) {
      WriteOutcome<Object> outcome = outcome(sent);
      if (outcome instanceof WriteOutcome.Applied<Object>
          || outcome instanceof WriteOutcome.Superseded<Object>) {
        pending.remove(comparable);
        return;
      }
      if (attempt == ATTEMPTS) {
        throw new IllegalStateException(
            "a write failed %d times; key=%s outcome=%s".formatted(ATTEMPTS, key, outcome));
      }
      sent = sent(key, put.value, put.identity);
    }
  }

  private CompletableFuture<WriteOutcome<Object>> sent(Object key, Object value, String identity) {
    return identities == null
        ? cache.put(key, value, Duration.ZERO).toCompletableFuture()
        : cache.update(key, identities.update(identity, value)).toCompletableFuture();
  }

  private static WriteOutcome<Object> outcome(CompletableFuture<WriteOutcome<Object>> sent) {
    try {
      return sent.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a write failed; cause=" + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      CancellationException cancelled = new CancellationException("the task was interrupted");
      cancelled.initCause(e);
      throw cancelled;
    }
  }

  @Override
  public WriterCommitMessage commit() {
    while (!pending.isEmpty()) {
      Map.Entry<Object, Pending> first = pending.entrySet().iterator().next();
      finish(first.getKey(), first.getValue());
    }
    return new Written();
  }

  /** That all rows of a task are written. */
  private record Written() implements WriterCommitMessage {
    private static final long serialVersionUID = 1L;
  }

  @Override
  public void abort() {
    pending.clear();
  }

  @Override
  public void close() {
    close.run();
  }
}
