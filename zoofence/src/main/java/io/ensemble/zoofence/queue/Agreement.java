package io.ensemble.zoofence.queue;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/** Whether all instances of a set did the same with a command. */
final class Agreement {
  private Agreement() {}

  /**
   * @param alike whether all of them hold all that it touches: then they answer alike, too, as far
   *     as their answers were heard
   */
  static boolean of(Collection<Result> results, boolean alike) {
    boolean effect = results.stream().anyMatch(Agreement::tookEffect);
    boolean none = results.stream().anyMatch(result -> !tookEffect(result));
    return !(effect && none)
        && (!alike
            || results.stream().map(Agreement::told).filter(Objects::nonNull).distinct().count()
                <= 1);
  }

  static boolean tookEffect(Result result) {
    return result instanceof Result.Done || result instanceof Result.Remembered;
  }

  /** What an instance said, without what is its own: its transactions and times. */
  private static @Nullable List<String> told(Result result) {
    if (result instanceof Result.Done done) {
      return done.results().stream().map(Agreement::told).toList();
    }
    return result instanceof Result.Refused refused
        ? List.of("refused", refused.errors().toString())
        : null;
  }

  private static String told(OpResult result) {
    if (result instanceof OpResult.SetDataResult set) {
      return "version " + set.getStat().getVersion();
    }
    return result instanceof OpResult.CreateResult made ? made.getPath() : "";
  }
}
