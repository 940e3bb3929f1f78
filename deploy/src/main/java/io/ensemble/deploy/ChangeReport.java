package io.ensemble.deploy;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.CacheDefinition;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.change.Change;
import io.ensemble.change.Step;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * A change of a cache as commands report it.
 *
 * @param number of the configuration that it leads to
 * @param from what the cache is; null once it is what it was to become
 * @param step how far it has come
 * @param copied how many keys were compared or copied in the copy under way
 * @param of how many keys the copy before had; null while that is not known
 * @param rate how many keys a second may be copied; null for as many as can be
 * @param turn the how many-th mover has it
 * @param owner that mover
 * @param left stores that are to be removed, as {@code SITE STORE}
 */
record ChangeReport(
    String cache,
    long number,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Placed from,
    Placed to,
    String step,
    long copied,
    @Nullable Long of,
    @Nullable Long rate,
    long turn,
    String owner,
    List<String> left) {

  /** A configuration, in short. */
  record Placed(String mode, List<String> sites, String acknowledgement) {

    static Placed of(CacheDefinition cache) {
      return new Placed(lower(cache.mode()), cache.sites(), lower(cache.acknowledgement()));
    }

    String text() {
      return mode + " " + String.join(",", sites);
    }
  }

  static ChangeReport of(StoredDefinition stored) {
    Change change = stored.change().orElseThrow();
    boolean switched = change.step() == Step.CLOSING;
    return new ChangeReport(
        stored.definition().name(),
        stored.configuration() + (switched ? 0 : 1),
        switched ? null : Placed.of(stored.definition()),
        Placed.of(change.to()),
        lower(change.step()),
        change.beat().copied(),
        change.beat().of() == 0 ? null : change.beat().of(),
        change.rate() == 0 ? null : change.rate(),
        change.turn(),
        change.owner(),
        change.remains().stream().map(one -> one.site() + " " + one.store()).toList());
  }

  /** How far it has come, in a few words. */
  String text() {
    if (copied == 0 && of == null) {
      return step;
    }
    return of == null
        ? "%s, %,d keys".formatted(step, copied)
        : "%s, %,d of %,d keys %s".formatted(step, copied, of, Progress.bar(copied, of));
  }

  static String lower(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }
}
