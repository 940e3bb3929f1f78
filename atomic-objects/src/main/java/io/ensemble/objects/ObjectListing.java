package io.ensemble.objects;

import io.ensemble.objects.record.ObjectRoot;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/** Iterates over the names in a store, and leaves out those whose objects were disposed of. */
final class ObjectListing implements CloseableIterator<ListedObject> {

  private final CloseableIterator<String> names;
  private final Function<String, Optional<ObjectRoot>> reading;
  private @Nullable String unreadName;
  private @Nullable ListedObject next;

  /**
   * @param reading reads the root of an object; empty if it was disposed of
   */
  ObjectListing(CloseableIterator<String> names, Function<String, Optional<ObjectRoot>> reading) {
    this.names = names;
    this.reading = reading;
  }

  /** After a failed read, the same object is read again by the next call. */
  @Override
  public boolean hasNext() {
    while (next == null && (unreadName != null || names.hasNext())) {
      String name = unreadName == null ? names.next() : unreadName;
      unreadName = name;
      next = reading.apply(name).map(root -> new ListedObject(name, root.type())).orElse(null);
      unreadName = null;
    }
    return next != null;
  }

  @Override
  public ListedObject next() {
    if (!hasNext()) {
      throw new NoSuchElementException("there are no more objects");
    }
    ListedObject listed = next;
    next = null;
    return Objects.requireNonNull(listed);
  }

  @Override
  public void close() {
    names.close();
  }
}
