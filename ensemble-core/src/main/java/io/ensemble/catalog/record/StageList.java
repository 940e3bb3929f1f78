package io.ensemble.catalog.record;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Combines many stages. */
public final class StageList {

  private StageList() {}

  /** All results, in order; fails if a stage fails. */
  public static <T> CompletionStage<List<T>> all(List<? extends CompletionStage<T>> answers) {
    CompletionStage<List<T>> all = CompletableFuture.completedFuture(new ArrayList<>());
    for (CompletionStage<T> answer : answers) {
      all =
          all.thenCombine(
              answer,
              (before, one) -> {
                before.add(one);
                return before;
              });
    }
    return all;
  }
}
