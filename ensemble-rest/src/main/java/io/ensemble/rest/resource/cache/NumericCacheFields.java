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
  void applyTo(CacheDefinition.Builder builder) {
    fields
        .millis("deadlineMillis", CacheDefinition.MAX_DEADLINE.toMillis())
        .ifPresent(builder::deadline);
    fields
        .integer("maxValueBytes", 1, CacheDefinition.LARGEST_VALUE_BYTES)
        .ifPresent(builder::maxValueBytes);
    fields
        .millis("tombstoneGraceMillis", CacheDefinition.MAX_TOMBSTONE_GRACE.toMillis())
        .ifPresent(builder::tombstoneGrace);
    fields.integer("replicas", 1, CacheDefinition.MOST_REPLICAS).ifPresent(builder::replicas);
    fields.integer("siblings", 1, CacheDefinition.LARGEST_VALUE_BYTES).ifPresent(builder::siblings);
  }

  /**
   * The window, if the request gives it.
   *
   * @param defaults the values for its omitted fields
   */
  Optional<CopyWindow> window(CopyWindow defaults) {
    return fields.object("window", "writes", "ageMillis").map(window -> window(window, defaults));
  }

  private static CopyWindow window(JsonFields window, CopyWindow defaults) {
    int writes = window.integer("writes", 1, CopyWindow.MOST_WRITES).orElse(defaults.writes());
    Duration age =
        window.millis("ageMillis", CopyWindow.LONGEST_AGE.toMillis()).orElse(defaults.age());
    return CreateCacheBody.buildChecked(
        window.fullName("ageMillis"), () -> new CopyWindow(writes, age));
  }
}
