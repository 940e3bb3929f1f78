package io.ensemble.cache.adapter;

import io.ensemble.cache.CacheEngine.EntryScan;
import io.ensemble.cache.CacheEngine.EntryScan.Entry;
import io.ensemble.cache.lease.GenerationEntries;
import io.ensemble.site.Bytes;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Function;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * A lazy iterator: fetches a batch when needed. The next call repeats a failed fetch. Not
 * thread-safe.
 */
final class EntryIterator<T> implements CloseableIterator<T> {

  private final BlockingCacheAdapter<?, ?> cache;
  private final EntryScan scan;
  private final Function<Entry, T> view;
  private Iterator<Entry> batch = Collections.emptyIterator();
  private @Nullable Bytes last;
  private boolean ended;

  EntryIterator(BlockingCacheAdapter<?, ?> cache, Function<Entry, T> view) {
    this.cache = cache;
    this.scan = GenerationEntries.without(cache.face().calls().engine().scan(CacheWalk.BATCH));
    this.view = view;
  }

  @Override
  public boolean hasNext() {
    while (!ended && !batch.hasNext()) {
      CallRunner calls = cache.face().calls();
      List<Entry> next =
          cache.awaited(
              () -> {
                calls.engine(); // Fails once the cache is closed.
                return calls.read("scan", scan.next(calls.deadline()), entries -> entries);
              });
      batch = next.iterator();
      if (next.isEmpty()) {
        close();
      }
    }
    return !ended;
  }

  @Override
  public T next() {
    if (!hasNext()) {
      throw new NoSuchElementException("no more entries");
    }
    Entry entry = batch.next();
    last = entry.key();
    return view.apply(entry);
  }

  /** Removes the key that {@link #next()} returned, unconditionally. */
  @Override
  public void remove() {
    Bytes met = last;
    if (met == null) {
      throw new IllegalStateException("remove() may be called once after each next()");
    }
    AsyncCacheAdapter<?, ?> face = cache.face();
    cache.awaited(() -> OutcomeConverter.valueOf(face.cells().cache(), face.removeEncoded(met)));
    last = null;
  }

  @Override
  public void close() {
    if (!ended) {
      ended = true;
      batch = Collections.emptyIterator();
      scan.close();
    }
  }
}
