package io.ensemble.cache.adapter;

import io.ensemble.WriteOutcome;
import io.ensemble.register.Update.Decision;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The result of a user's function, or the exception that it threw. An engine treats both as
 * results, so an exception is reported under the same conditions as an unmet condition. The value
 * shown to the function is then known to be chosen, and expired values are absent. The epoch and
 * the configuration still hold.
 */
record FunctionResult<R>(@Nullable R result, @Nullable Throwable thrown) {

  /** The decision of {@code deciding}; writes nothing if {@code deciding} throws. */
  static <V, R> Decision<V, FunctionResult<R>> of(Supplier<Decision<V, R>> deciding) {
    Decision<V, R> decision;
    try {
      decision = deciding.get();
    } catch (Throwable thrown) { // Includes undeclared exceptions of other JVM languages.
      return Decision.keep(new FunctionResult<>(null, thrown));
    }
    FunctionResult<R> made = new FunctionResult<>(decision.result(), null);
    return decision.writes() ? Decision.write(decision.value(), made) : Decision.keep(made);
  }

  /** The outcome for the user; fails with the exception of the function. */
  static <R> CompletionStage<WriteOutcome<R>> told(WriteOutcome<FunctionResult<R>> outcome) {
    WriteOutcome<R> told;
    if (outcome instanceof WriteOutcome.Applied<FunctionResult<R>> applied) {
      FunctionResult<R> made = Objects.requireNonNull(applied.result(), "result of an engine");
      Throwable thrown = made.thrown();
      if (thrown != null) {
        return CompletableFuture.failedFuture(thrown);
      }
      told = new WriteOutcome.Applied<>(made.result(), applied.stamp(), applied.wrote());
    } else if (outcome instanceof WriteOutcome.Superseded<FunctionResult<R>> superseded) {
      told = new WriteOutcome.Superseded<>(superseded.by());
    } else if (outcome instanceof WriteOutcome.Refused<FunctionResult<R>> refused) {
      told = new WriteOutcome.Refused<>(refused.why());
    } else {
      told = new WriteOutcome.Unknown<>(((WriteOutcome.Unknown<FunctionResult<R>>) outcome).why());
    }
    return CompletableFuture.completedFuture(told);
  }
}
