package io.ensemble.versioning;

import java.util.Collections;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Iterates over a range page by page; holds one page. For one thread at a time. */
final class RangeIterator<T, V> implements Iterator<Versioned<T, V>> {

  /** Reads the page after a cursor; the first page for null. */
  interface Reader<T, V> {
    VersionPage<T, V> read(@Nullable T cursor);
  }

  private final Reader<T, V> reader;
  private Iterator<Versioned<T, V>> page = Collections.emptyIterator();
  private @Nullable T cursor;
  private boolean isLast;

  /** Reads nothing yet. */
  RangeIterator(Reader<T, V> reader, int pageVersions) {
    if (pageVersions < 1) {
      throw new IllegalArgumentException(
          "page size must be 1 version or more; got " + pageVersions);
    }
    this.reader = reader;
  }

  @Override
  public boolean hasNext() {
    while (!page.hasNext() && !isLast) {
      VersionPage<T, V> next = reader.read(cursor);
      Optional<T> following = next.cursor();
      page = next.versions().iterator();
      cursor = following.orElse(null);
      isLast = following.isEmpty();
    }
    return page.hasNext();
  }

  @Override
  public Versioned<T, V> next() {
    if (!hasNext()) {
      throw new NoSuchElementException("no more versions");
    }
    return page.next();
  }
}
