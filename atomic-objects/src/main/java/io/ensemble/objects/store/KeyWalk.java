package io.ensemble.objects.store;

import java.util.NoSuchElementException;
import java.util.function.Function;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/** Of all keys of a cache those that begin alike. */
final class KeyWalk<K> implements CloseableIterator<String> {

  private final CloseableIterator<K> all;
  private final Function<K, String> name;
  private final String prefix;
  private @Nullable String next;

  KeyWalk(CloseableIterator<K> all, Function<K, String> name, String prefix) {
    this.all = all;
    this.name = name;
    this.prefix = prefix;
  }

  @Override
  public boolean hasNext() {
    while (next == null && all.hasNext()) {
      String found = name.apply(all.next());
      next = found.startsWith(prefix) ? found : null;
    }
    return next != null;
  }

  @Override
  public String next() {
    if (!hasNext() || next == null) {
      throw new NoSuchElementException("no more keys");
    }
    String found = next;
    next = null;
    return found;
  }

  @Override
  public void close() {
    all.close();
  }
}
