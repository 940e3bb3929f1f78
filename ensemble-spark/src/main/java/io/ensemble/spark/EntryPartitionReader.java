package io.ensemble.spark;

import io.ensemble.collection.CollectionCursor;
import io.ensemble.collection.CollectionSlice;
import io.ensemble.collection.EntryCollection;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.catalyst.CatalystTypeConverters;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.connector.read.InputPartition;
import org.apache.spark.sql.connector.read.PartitionReader;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import scala.Function1;

/** Reads the entries of a partition as rows. For one thread. */
final class EntryPartitionReader implements PartitionReader<InternalRow> {

  private final SourceOptions options;
  private final ValueMapping<Object> mapping;
  private final int[] sources;
  private final Function1<Object, Object>[] converters;
  private final ManagerPool.Lease lease;
  private final Supplier<Optional<Map.Entry<Object, Object>>> entries;
  // Closed in the opposite order.
  private final Deque<Runnable> opened = new ArrayDeque<>();
  private @Nullable InternalRow row;

  @SuppressWarnings("unchecked") // The mapping is that of the cache's values.
  EntryPartitionReader(SourceOptions options, StructType columns, InputPartition partition) {
    this.options = options;
    this.mapping = (ValueMapping<Object>) options.mapping();
    this.sources = new int[columns.length()];
    this.converters = new Function1[columns.length()];
    StructType all = options.schema();
    for (int i = 0; i < sources.length; i++) {
      sources[i] = all.fieldIndex(columns.apply(i).name());
      converters[i] =
          CatalystTypeConverters.createToCatalystConverter(all.apply(sources[i]).dataType());
    }
    lease = ManagerPool.INSTANCE.open(options);
    opened.push(lease::close);
    try {
      entries =
          partition instanceof KeysPartition named
              ? found(new LinkedHashSet<>(Arrays.asList(named.keys())))
              : in(((SlicePartition) partition).slice());
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  private Optional<VersionedEntries<?>> versioned() {
    if (!options.isVersioned()) {
      return Optional.empty();
    }
    VersionedEntries<?> versioned = VersionedEntries.open(options, lease.cache(), options.cut());
    opened.push(versioned::close);
    return Optional.of(versioned);
  }

  private Supplier<Optional<Map.Entry<Object, Object>>> found(Set<Object> keys) {
    Map<Object, Object> values =
        versioned().map(all -> all.getAll(keys)).orElseGet(() -> lease.cache().getAll(keys));
    var found = new LinkedHashMap<>(values).entrySet().iterator();
    return () -> found.hasNext() ? Optional.of(found.next()) : Optional.empty();
  }

  private Supplier<Optional<Map.Entry<Object, Object>>> in(CollectionSlice slice) {
    CollectionCursor<Map.Entry<Object, Object>> cursor =
        versioned()
            .map(all -> all.in(slice))
            .orElseGet(() -> EntryCollection.of(lease.cache()).in(slice).open());
    opened.push(cursor::close);
    return cursor::next;
  }

  @Override
  public boolean next() {
    Map.Entry<Object, Object> entry = entries.get().orElse(null);
    row = entry == null ? null : row(entry.getKey(), entry.getValue());
    return entry != null;
  }

  private InternalRow row(Object key, Object value) {
    Row all = null;
    Object[] columns = new Object[sources.length];
    for (int i = 0; i < columns.length; i++) {
      Object column;
      if (sources[i] == 0) {
        column = options.keyType().toColumn(key);
      } else {
        all = all == null ? mapping.toRow(value) : all;
        column = all.get(sources[i] - 1);
      }
      columns[i] = converters[i].apply(column);
    }
    return new GenericInternalRow(columns);
  }

  @Override
  public InternalRow get() {
    InternalRow present = row;
    if (present == null) {
      throw new IllegalStateException("get() may be called after next() returned true");
    }
    return present;
  }

  @Override
  public void close() {
    while (!opened.isEmpty()) {
      opened.pop().run();
    }
  }
}
