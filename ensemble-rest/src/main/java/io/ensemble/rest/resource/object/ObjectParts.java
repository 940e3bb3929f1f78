package io.ensemble.rest.resource.object;

import io.ensemble.objects.ListedObject;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.resource.context.JsonListing;
import io.ensemble.rest.resource.object.ObjectFactoryCache.OfCache;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The JSON document of a listing of objects. Until the listing is closed, it is a user of the
 * cache's objects.
 */
final class ObjectParts extends JsonListing<ListedObject> {

  /** Each object costs a read. */
  private static final int PART_OBJECTS = 64;

  private final OfCache cacheObjects;
  private final AtomicBoolean closed = new AtomicBoolean();

  ObjectParts(OfCache cacheObjects, String prefix, int maxObjects) {
    super("objects", cacheObjects.factory().list(prefix), maxObjects, PART_OBJECTS);
    this.cacheObjects = cacheObjects;
    cacheObjects.users().incrementAndGet();
  }

  @Override
  protected Map<String, Object> describe(ListedObject visited) {
    return StrictJson.object("name", visited.name(), "type", visited.type());
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      try {
        super.close();
      } finally {
        cacheObjects.users().decrementAndGet();
      }
    }
  }
}
