package io.ensemble.benchmarks;

import io.ensemble.benchmarks.store.RecordCodec;
import io.ensemble.benchmarks.store.RecordStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * YCSB's binding to Ensemble, and to a plain cache for comparison; {@link BindingProperties} lists
 * its properties. It also works with YCSB's own client program. All threads share one client.
 *
 * <p>{@code update} is an atomic merge of fields in SWMR and MWMR; in WEAK and over a plain cache
 * it is a read and a put. {@code scan} iterates over the whole cache. An expected record that is
 * missing ends as {@link Status#NOT_FOUND}, a failure or an unknown outcome as {@link
 * Status#ERROR}; both are counted. One table.
 */
public final class EnsembleDb extends DB {

  private static final String TABLE = "table";

  private String table = "usertable";
  private @Nullable SharedStore shared;

  /** Called by YCSB, by name, once for every thread. */
  public EnsembleDb() {}

  @Override
  public void init() throws DBException {
    table = getProperties().getProperty(TABLE, table);
    try {
      shared = SharedStore.acquire(BindingProperties.read(getProperties()));
    } catch (RuntimeException failure) {
      throw new DBException("cannot open the store: " + failure.getMessage(), failure);
    }
  }

  @Override
  public void cleanup() {
    SharedStore used = shared;
    shared = null;
    if (used != null) {
      used.release();
    }
  }

  @Override
  public Status read(
      String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
    return attempt(
        "read",
        table,
        key,
        store -> {
          byte[] found = store.read(key);
          if (found == null) {
            return missing("read", key);
          }
          RecordCodec.decode(found, fields)
              .forEach((name, content) -> result.put(name, new ByteArrayByteIterator(content)));
          return Status.OK;
        });
  }

  @Override
  public Status scan(
      String table,
      String startKey,
      int count,
      @Nullable Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    return attempt(
        "scan",
        table,
        startKey,
        store -> {
          for (RecordStore.Entry entry : store.scan(startKey, count)) {
            HashMap<String, ByteIterator> record = new HashMap<>();
            RecordCodec.decode(entry.value(), fields)
                .forEach((name, content) -> record.put(name, new ByteArrayByteIterator(content)));
            result.add(record);
          }
          return Status.OK;
        });
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    byte[] record = RecordCodec.encode(bytes(values));
    return attempt(
        "insert",
        table,
        key,
        store -> {
          store.insert(key, record);
          return Status.OK;
        });
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    Map<String, byte[]> changes = bytes(values);
    return attempt(
        "update",
        table,
        key,
        store -> store.update(key, changes) ? Status.OK : missing("update", key));
  }

  @Override
  public Status delete(String table, String key) {
    return attempt(
        "delete",
        table,
        key,
        store -> {
          store.delete(key);
          return Status.OK;
        });
  }

  private Status attempt(
      String operation, String request, String key, Function<RecordStore, Status> action) {
    SharedStore open = openStore();
    if (!request.equals(table)) {
      open.failures().wrong("UnknownTable", operation + " table=" + request, key);
      return Status.BAD_REQUEST;
    }
    try {
      return action.apply(open.store());
    } catch (RuntimeException failure) {
      open.failures().failed(operation, key, failure);
      return Status.ERROR;
    }
  }

  private Status missing(String operation, String key) {
    openStore().failures().wrong("NotFound", operation, key);
    return Status.NOT_FOUND;
  }

  private SharedStore openStore() {
    SharedStore open = shared;
    if (open == null) {
      throw new IllegalStateException("the binding is used before init() or after cleanup()");
    }
    return open;
  }

  /** YCSB's values can be read once, so a function that may be called again needs them as bytes. */
  private static Map<String, byte[]> bytes(Map<String, ByteIterator> values) {
    Map<String, byte[]> bytes = new HashMap<>();
    values.forEach((name, value) -> bytes.put(name, value.toArray()));
    return bytes;
  }
}
