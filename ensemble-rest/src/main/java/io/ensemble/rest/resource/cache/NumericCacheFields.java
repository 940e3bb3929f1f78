package io.ensemble.rest.resource.cache;

import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.rest.json.JsonFields;
import java.time.Duration;
import java.util.Optional;

/** The numeric settings of a cache: numbers and durations. */
final class NumericCacheFields {

  static final String[] FIELDS = {
    "deadlineMillis", "maxValueBytes", "tombstoneGraceMillis", "siblings"
  };

  private final JsonFields fields;

  NumericCacheFields(JsonFields fields) {
    this.fields = fields;
  }

  /** Sets the given settings; the others keep their values. */
  void into(CacheDefinition.Builder cache) {
    fields
        .millis("deadlineMillis", CacheDefinition.MAX_DEADLINE.toMillis())
        .ifPresent(cache::deadline);
    fields
        .integer("maxValueBytes", 1, CacheDefinition.LARGEST_VALUE_BYTES)
        .ifPresent(cache::maxValueBytes);
    fields
        .millis("tombstoneGraceMillis", CacheDefinition.MAX_TOMBSTONE_GRACE.toMillis())
        .ifPresent(cache::tombstoneGrace);
    fields.integer("replicas", 1, CacheDefinition.MOST_REPLICAS).ifPresent(cache::replicas);
    fields.integer("siblings", 1, CacheDefinition.LARGEST_VALUE_BYTES).ifPresent(cache::siblings);
  }

  /**
   * The window, if the request gives it.
   *
   * @param now the values for its omitted fields
   */
  Optional<CopyWindow> window(CopyWindow now) {
    return fields.object("window", "writes", "ageMillis").map(window -> window(window, now));
  }

  private static CopyWindow window(JsonFields window, CopyWindow now) {
    int writes = window.integer("writes", 1, CopyWindow.MOST_WRITES).orElse(now.writes());
    Duration age = window.millis("ageMillis", CopyWindow.LONGEST_AGE.toMillis()).orElse(now.age());
    return CreateCacheBody.checked(window.full("ageMillis"), () -> new CopyWindow(writes, age));
  }
}
