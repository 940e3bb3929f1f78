package io.ensemble.cache.adapter;

import io.ensemble.WriteOutcome;
import io.ensemble.register.Update.Decision;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a user's function made of a key: a result, or what it threw. To an engine both are results,
 * so that what a function throws is told as an unmet condition is: once what it was shown is known
 * to be chosen, of an epoch and a configuration that last, and gone if it had expired.
 */
record FunctionResult<R>(@Nullable R result, @Nullable Throwable thrown) {

  /** What {@code deciding} decides; to write nothing if it throws. */
  static <V, R> Decision<V, FunctionResult<R>> of(Supplier<Decision<V, R>> deciding) {
    Decision<V, R> decision;
    try {
      decision = deciding.get();
    } catch (Throwable thrown) { // Also what functions of other languages throw undeclared.
      return Decision.keep(new FunctionResult<>(null, thrown));
    }
    FunctionResult<R> made = new FunctionResult<>(decision.result(), null);
    return decision.writes() ? Decision.write(decision.value(), made) : Decision.keep(made);
  }

  /** The outcome as the user is told it; fails with what the function threw. */
  static <R> CompletionStage<WriteOutcome<R>> told(WriteOutcome<FunctionResult<R>> outcome) {
    WriteOutcome<R> told;
    if (outcome instanceof WriteOutcome.Applied<FunctionResult<R>> applied) {
      FunctionResult<R> made = Objects.requireNonNull(applied.result(), "what an engine answers");
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
