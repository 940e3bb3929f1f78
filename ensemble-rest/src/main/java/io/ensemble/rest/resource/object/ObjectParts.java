package io.ensemble.rest.resource.object;

import io.ensemble.objects.ListedObject;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.resource.context.ListingParts;
import io.ensemble.rest.resource.object.ObjectFactoryCache.OfCache;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import org.infinispan.commons.util.CloseableIterator;

/**
 * The JSON document of a listing of objects, part by part. Each object has a line of its own. A
 * part is bounded by its number of objects, because each object costs a read. Until the listing is
 * closed, it is a user of the cache's objects.
 */
final class ObjectParts implements ListingParts {

  private static final int PART_OBJECTS = 64;

  private final OfCache cacheObjects;
  private final CloseableIterator<ListedObject> iterator;
  private final int maxObjects;
  private final AtomicBoolean closed = new AtomicBoolean();
  private int objects;
  private boolean begun;
  private boolean ended;

  ObjectParts(OfCache cacheObjects, String prefix, int maxObjects) {
    this.cacheObjects = cacheObjects;
    this.iterator = cacheObjects.factory().list(prefix);
    this.maxObjects = maxObjects;
    cacheObjects.users().incrementAndGet();
  }

  @Override
  public boolean isEnded() {
    return ended;
  }

  @Override
  public byte[] next() {
    ByteArrayOutputStream part = new ByteArrayOutputStream();
    append(part, begun ? "\n" : "{\"objects\":[\n");
    begun = true;
    for (int read = 0; read < PART_OBJECTS && !ended; read++) {
      if (!iterator.hasNext()) {
        end(part, "]}\n");
      } else if (objects == maxObjects) {
        end(part, "],\"more\":true}\n");
      } else {
        append(part, iterator.next());
      }
    }
    return part.toByteArray();
  }

  private void append(ByteArrayOutputStream part, ListedObject object) {
    append(part, objects == 0 ? "" : ",\n");
    part.writeBytes(
        StrictJson.bytes(StrictJson.object("name", object.name(), "type", object.type())));
    objects++;
  }

  private void end(ByteArrayOutputStream part, String text) {
    append(part, text);
    ended = true;
  }

  private static void append(ByteArrayOutputStream part, String text) {
    part.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      try {
        iterator.close();
      } finally {
        cacheObjects.users().decrementAndGet();
      }
    }
  }
}
