package io.ensemble.versioning.history;

import io.ensemble.versioning.history.AdditionResult.Result;
import io.ensemble.versioning.index.IndexShard;
import io.ensemble.versioning.order.VersionSpace;
import org.jspecify.annotations.Nullable;

/** Finds the reason why a version chosen by the caller cannot be added. */
final class AdditionValidator {

  private AdditionValidator() {}

  /** Null if the version can be added. */
  static <T> @Nullable AdditionResult of(
      VersionHistory<T> history, Addition addition, T version, byte[] latest) {
    VersionSpace<T> space = history.space;
    T floor = history.floor;
    T horizon = history.horizon;
    if (space.compare(version, space.initial()) <= 0) {
      return history.added(Result.NOT_ABOVE, space.write(space.initial()), null);
    }
    if (floor != null && (version.equals(floor) || space.isBelow(version, floor))) {
      return history.added(Result.BELOW_SNAPSHOT, space.write(floor), null);
    }
    if (horizon != null && space.compare(version, horizon) < 0) {
      return history.added(Result.COMPACTED, space.write(horizon), null);
    }
    if (history.position(version) >= 0) {
      return history.added(Result.EXISTS, space.write(version), null);
    }
    if (addition.ordered() && !history.heads.stream().allMatch(m -> space.isBelow(m, version))) {
      return history.added(Result.NOT_ABOVE, latest, null);
    }
    IndexShard<T> home = history.isLate(version) ? history.home(version) : null;
    return home != null && !isAbsent(history, home, addition) && covers(space, home, version)
        ? history.added(Result.READ_SHARD_FIRST, space.write(version), VersionHistory.ref(home))
        : null;
  }

  private static boolean isAbsent(
      VersionHistory<?> history, IndexShard<?> shard, Addition addition) {
    return shard.number() == addition.absentInShard()
        && history.id.equals(addition.absentInHistory());
  }

  private static <T> boolean covers(VersionSpace<T> space, IndexShard<T> shard, T version) {
    return space.compare(shard.first(), version) <= 0 && space.compare(version, shard.last()) <= 0;
  }
}
