package io.ensemble.cache.listen;

import io.ensemble.cache.ChangeSource;
import io.ensemble.listen.ListenPosition;
import io.ensemble.listen.MergerBug;
import io.ensemble.partition.StableHash;
import io.ensemble.schedule.Scheduler;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Opens streams of changes with a planted error, or none. */
public final class BuggyStream {

  private BuggyStream() {}

  public static EncodedChangeStream open(
      Supplier<Optional<ChangeSource>> sources,
      @Nullable ListenPosition from,
      ListenLimits limits,
      Scheduler scheduler,
      MergerBug bug) {
    return new EncodedChangeStream(
        "registers",
        7,
        sources,
        KeySelection.ALL,
        true,
        from,
        limits,
        scheduler,
        bug.merger(ChangeFeed.values(), key -> StableHash.of(key.array()), from));
  }
}
