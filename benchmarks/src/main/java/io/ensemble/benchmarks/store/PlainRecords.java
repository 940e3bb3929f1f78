package io.ensemble.benchmarks.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Map;
import org.infinispan.client.hotrod.RemoteCache;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/** Records in a plain cache of Infinispan, keys in UTF-8. */
final class PlainRecords implements RecordStore {

  private final PlainCache plain;
  private final RemoteCache<byte[], byte[]> cache;

  private PlainRecords(PlainCache plain) {
    this.plain = plain;
    this.cache = plain.cache();
  }

  static PlainRecords open(StoreSettings settings) {
    return new PlainRecords(PlainCache.open(settings.sites().get(0), settings.cache()));
  }

  @Override
  public byte @Nullable [] read(String key) {
    return cache.get(key.getBytes(UTF_8));
  }

  @Override
  public void insert(String key, byte[] record) {
    cache.put(key.getBytes(UTF_8), record);
  }

  @Override
  public boolean update(String key, Map<String, byte[]> changes) {
    byte[] found = read(key);
    if (found == null) {
      return false;
    }
    insert(key, RecordCodec.merge(found, changes));
    return true;
  }

  @Override
  public void delete(String key) {
    cache.remove(key.getBytes(UTF_8));
  }

  @Override
  public List<Entry> scan(String start, int count) {
    SmallestKeys smallest = new SmallestKeys(start, count);
    try (CloseableIterator<Map.Entry<byte[], byte[]>> walk = cache.entrySet().iterator()) {
      while (walk.hasNext()) {
        Map.Entry<byte[], byte[]> met = walk.next();
        smallest.offer(new String(met.getKey(), UTF_8), met::getValue);
      }
    }
    return smallest.inOrder();
  }

  @Override
  public void drop() {
    plain.drop();
  }

  @Override
  public void close() {
    plain.close();
  }
}
