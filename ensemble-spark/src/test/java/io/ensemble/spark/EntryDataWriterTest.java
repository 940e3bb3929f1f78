package io.ensemble.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.QuorumFailure;
import io.ensemble.WriteOutcome;
import io.ensemble.stamp.Stamp;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.unsafe.types.UTF8String;
import org.junit.jupiter.api.Test;

/** Writes of a task are bounded, in order for each key, and repeated. Needs no running Spark. */
class EntryDataWriterTest {

  /** A put that the writer has begun. */
  private static class Put extends CompletableFuture<WriteOutcome<Object>> {
    private final String entry;

    private Put(String entry) {
      this.entry = entry;
    }
  }

  private static final WriteOutcome<Object> REFUSED =
      new WriteOutcome.Refused<>(new QuorumFailure(2, 3, Set.of(), Map.of()));

  private final List<Put> puts = new ArrayList<>();
  private int refusals;
  private int underWay;
  private int mostUnderWay;

  /** Completes a put when it is awaited: each one before it is done. */
  private AsyncEnsembleCache<Object, Object> cache() {
    @SuppressWarnings("unchecked")
    AsyncEnsembleCache<Object, Object> proxy =
        (AsyncEnsembleCache<Object, Object>)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {AsyncEnsembleCache.class},
                (same, method, arguments) -> put(arguments[0] + "=" + arguments[1]));
    return proxy;
  }

  private Put put(String entry) {
    Put put =
        new Put(entry) {
          @Override
          public WriteOutcome<Object> get() {
            underWay--;
            return refusals-- > 0 ? REFUSED : new WriteOutcome.Applied<>(null, Stamp.NONE, true);
          }

          @Override
          public CompletableFuture<WriteOutcome<Object>> toCompletableFuture() {
            return this;
          }
        };
    puts.add(put);
    mostUnderWay = Math.max(mostUnderWay, ++underWay);
    return put;
  }

  private EntryDataWriter writer() {
    return new EntryDataWriter(
        new SourceOptions(Map.of("cache", "c", "catalog", "none", "value-type", "long")),
        cache(),
        null,
        () -> {});
  }

  private static InternalRow row(String key, long value) {
    return new GenericInternalRow(new Object[] {UTF8String.fromString(key), value});
  }

  private List<String> entries() {
    return puts.stream().map(put -> put.entry).toList();
  }

  @Test
  void soManyWritesAreUnderWayAndNoMore() {
    EntryDataWriter writer = writer();
    for (int i = 0; i < 300; i++) {
      writer.write(row("k" + i, i));
    }
    writer.commit();

    assertThat(mostUnderWay).isEqualTo(EntryDataWriter.UNDER_WAY);
    assertThat(underWay).isZero();
    assertThat(puts).hasSize(300);
  }

  @Test
  void rowsOfOneKeyAreWrittenOneAfterTheOtherAlsoIfOneIsRepeated() {
    EntryDataWriter writer = writer();
    writer.write(row("k", 1));
    refusals = 2;
    writer.write(row("k", 2));

    assertThat(entries()).containsExactly("k=1", "k=1", "k=1", "k=2");
    writer.commit();
  }

  @Test
  void aWriteThatFailsThreeTimesFailsTheTask() {
    EntryDataWriter writer = writer();
    writer.write(row("k", 1));
    refusals = 3;

    assertThatIllegalStateException()
        .isThrownBy(writer::commit)
        .withMessageContaining("failed 3 times; key=k");
  }
}
