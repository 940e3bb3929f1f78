package io.ensemble.zoofence.queue;

import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.apache.zookeeper.OpResult;
import org.jspecify.annotations.Nullable;

/** Decides whether all instances of a set had the same result for a command. */
public final class ResultAgreement {
  private ResultAgreement() {}

  /**
   * @param isReplicated whether all instances hold all paths of the command; then the responses
   *     that arrived must be equal, too
   */
  static boolean isAgreed(Collection<InstanceResult> results, boolean isReplicated) {
    boolean anyApplied = results.stream().anyMatch(ResultAgreement::tookEffect);
    boolean anyRefused = results.stream().anyMatch(result -> !tookEffect(result));
    return !(anyApplied && anyRefused)
        && (!isReplicated
            || results.stream()
                    .map(ResultAgreement::toComparable)
                    .filter(Objects::nonNull)
                    .distinct()
                    .count()
                <= 1);
  }

  public static boolean tookEffect(InstanceResult result) {
    return result instanceof InstanceResult.Done || result instanceof InstanceResult.Remembered;
  }

  /**
   * The result of an instance without its own transaction numbers and times; null if the response
   * was lost.
   */
  private static @Nullable List<String> toComparable(InstanceResult result) {
    if (result instanceof InstanceResult.Done done) {
      return done.results().stream().map(ResultAgreement::toComparable).toList();
    }
    return result instanceof InstanceResult.Refused refused
        ? List.of("refused", refused.errors().toString())
        : null;
  }

  private static String toComparable(OpResult result) {
    if (result instanceof OpResult.SetDataResult set) {
      return "version " + set.getStat().getVersion();
    }
    return result instanceof OpResult.CreateResult created ? created.getPath() : "";
  }
}
