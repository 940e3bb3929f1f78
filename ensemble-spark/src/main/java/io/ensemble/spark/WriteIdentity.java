package io.ensemble.spark;

import io.ensemble.EntryUpdate;
import java.time.Duration;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The identities that a task gives to the values that it writes: the generation, the batch, the
 * partition and the row, in hexadecimal digits, so that their order is that of the text; then the
 * query. A row is written only if the present value has a lower identity. So a repeated, a late or
 * a speculative task has no effect on what its twin or a later batch has written.
 *
 * @param mapping of values, which have the identity as a column
 * @param column the index of that column
 * @param generation the number that the options give
 * @param batch the number of the batch of a streaming query; 0 for other jobs
 * @param query the id of the streaming query, which outlasts restarts; empty for other jobs
 */
record WriteIdentity(
    ValueMapping<Object> mapping,
    int column,
    int generation,
    long batch,
    int partition,
    String query) {

  private static final Pattern FORM =
      Pattern.compile("[0-9a-f]{8}-[0-9a-f]{16}-[0-9a-f]{8}-[0-9a-f]{16}(-.*)?");
  private static final int GENERATION_LENGTH = 8;
  private static final int ORDER_LENGTH = 8 + 1 + 16 + 1 + 8 + 1 + 16;

  /** The identity of a row. */
  String of(long row) {
    String order = "%08x-%016x-%08x-%016x".formatted(generation, batch, partition, row);
    return query.isEmpty() ? order : order + "-" + query;
  }

  /**
   * Writes a value if the present one has a lower identity, or none.
   *
   * @param identity of the value
   */
  Function<@Nullable Object, EntryUpdate<Object, Object>> update(String identity, Object value) {
    return present ->
        present == null || isBelow(of(present), identity)
            ? EntryUpdate.write(value, Duration.ZERO, null)
            : EntryUpdate.keep(null);
  }

  /** The identity of a value; empty if it has none. */
  private String of(Object present) {
    String found = mapping.toRow(present).getString(column);
    return found == null ? "" : found;
  }

  private static boolean isBelow(String present, String identity) {
    if (present.isEmpty()) {
      return true;
    }
    if (!FORM.matcher(present).matches()) {
      throw new IllegalStateException(
          "the present identity must be empty or one that Spark has written; got '%s'"
              .formatted(present));
    }
    boolean isSameGeneration =
        present.substring(0, GENERATION_LENGTH).equals(identity.substring(0, GENERATION_LENGTH));
    if (isSameGeneration
        && !present.substring(ORDER_LENGTH).equals(identity.substring(ORDER_LENGTH))) {
      throw new IllegalStateException(
          "another query has written with the same 'generation': give this one a higher number; "
              + "present=%s written=%s".formatted(present, identity));
    }
    return present.substring(0, ORDER_LENGTH).compareTo(identity.substring(0, ORDER_LENGTH)) < 0;
  }
}
