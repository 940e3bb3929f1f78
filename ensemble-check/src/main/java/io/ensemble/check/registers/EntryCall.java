package io.ensemble.check.registers;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.WriteOutcome;
import io.ensemble.stamp.Stamp;
import io.ensemble.testkit.history.NearReads;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * An operation on one entry: its name and argument for the history, and its execution.
 *
 * @param op its name in the history
 * @param in its argument there; null for none
 * @param ask executes it; the result of an applied operation is recorded in the history
 */
record EntryCall(String op, @Nullable Object in, CacheOperation ask) {

  /** A cache as its client uses it: with and without the previous values. */
  record CacheViews(
      AsyncEnsembleCache<String, Long> plain, AsyncEnsembleCache<String, Long> returning) {

    static CacheViews of(EnsembleCache<String, Long> cache) {
      return new CacheViews(cache.async(), cache.withReturnValues().async());
    }
  }

  /** Executes an operation. */
  interface CacheOperation {
    CompletionStage<? extends WriteOutcome<?>> of(CacheViews cache, String key);
  }

  /**
   * A random operation.
   *
   * @param fresh a value that was never written
   * @param guess a value that may be present
   */
  static EntryCall random(RandomGenerator random, long fresh, long guess) {
    return switch (random.nextInt(20)) {
      case 0, 1, 2, 3, 4, 5 -> read();
      case 6, 7, 8, 9 -> write(fresh);
      case 10, 11 -> new EntryCall("swap", fresh, (c, key) -> c.returning().put(key, fresh));
      case 12, 13, 14 ->
          new EntryCall(
              "cas",
              Arrays.asList(guess, fresh),
              (c, key) -> c.plain().replace(key, guess, fresh, Duration.ZERO));
      case 15 ->
          new EntryCall(
              "put_if_absent",
              fresh,
              (c, key) ->
                  mapResult(c.plain().putIfAbsent(key, fresh, Duration.ZERO), old -> old == null));
      case 16 ->
          new EntryCall(
              "replace",
              fresh,
              (c, key) ->
                  mapResult(c.plain().replace(key, fresh, Duration.ZERO), old -> old != null));
      case 17 -> new EntryCall("remove_if", guess, (c, key) -> c.plain().remove(key, guess));
      case 18 ->
          random.nextBoolean()
              ? delete()
              : new EntryCall("get_and_remove", null, (c, key) -> c.returning().remove(key));
      default -> contains();
    };
  }

  /** A random operation that does not write. */
  static EntryCall reading(RandomGenerator random) {
    return random.nextInt(8) == 0 ? contains() : read();
  }

  private static EntryCall contains() {
    return new EntryCall("contains", null, (c, key) -> asOutcome(c.plain().containsKey(key)));
  }

  static EntryCall write(long value) {
    return new EntryCall("write", value, (c, key) -> withoutResult(c.plain().put(key, value)));
  }

  static EntryCall delete() {
    return new EntryCall("delete", null, (c, key) -> withoutResult(c.plain().remove(key)));
  }

  static EntryCall read() {
    return new EntryCall(
        "read", null, (c, key) -> asOutcome(c.plain().get(key).thenApply(EntryCall::orNull)));
  }

  /**
   * A read through a near cache.
   *
   * @param stalenessNanos its staleness
   */
  static EntryCall nearRead(long stalenessNanos) {
    return new EntryCall(NearReads.OPERATION, stalenessNanos, read().ask());
  }

  /** Whether it certainly does not write. */
  boolean isReading() {
    return op.equals("read") || op.equals("contains");
  }

  private static @Nullable Long orNull(Optional<Long> found) {
    return found.orElse(null);
  }

  private static <T> CompletionStage<WriteOutcome<T>> asOutcome(CompletionStage<T> read) {
    return read.thenApply(value -> new WriteOutcome.Applied<>(value, Stamp.NONE, false));
  }

  private static <T> CompletionStage<WriteOutcome<Object>> withoutResult(
      CompletionStage<WriteOutcome<T>> write) {
    return mapResult(write, result -> null);
  }

  /** The same outcome with another result. */
  private static <T> CompletionStage<WriteOutcome<Object>> mapResult(
      CompletionStage<WriteOutcome<T>> write, Function<@Nullable T, @Nullable Object> result) {
    return write.thenApply(outcome -> with(outcome, result));
  }

  private static <T> WriteOutcome<Object> with(
      WriteOutcome<T> outcome, Function<@Nullable T, @Nullable Object> result) {
    if (outcome instanceof WriteOutcome.Applied<T> done) {
      return new WriteOutcome.Applied<>(result.apply(done.result()), done.stamp(), done.wrote());
    }
    if (outcome instanceof WriteOutcome.Superseded<T> lost) {
      return new WriteOutcome.Superseded<>(lost.by());
    }
    return outcome instanceof WriteOutcome.Refused<T> refused
        ? new WriteOutcome.Refused<>(refused.why())
        : new WriteOutcome.Unknown<>(((WriteOutcome.Unknown<T>) outcome).why());
  }
}
