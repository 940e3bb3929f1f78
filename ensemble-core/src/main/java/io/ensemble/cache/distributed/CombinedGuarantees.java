package io.ensemble.cache.distributed;

import io.ensemble.Acknowledgement;
import io.ensemble.CacheDefinition;
import io.ensemble.CopyWindow;
import io.ensemble.Mode;
import io.ensemble.Privacy;
import java.time.Duration;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** The guarantees that several caches give together. */
public final class CombinedGuarantees {

  private CombinedGuarantees() {}

  /**
   * A definition whose guarantees each of {@code parts} meets or exceeds.
   *
   * @param parts at least one
   */
  public static CacheDefinition of(String name, List<CacheDefinition> parts) {
    Mode mode = least(parts, CacheDefinition::mode);
    List<CacheDefinition> weakest = parts.stream().filter(part -> part.mode() == mode).toList();
    Acknowledgement acknowledgement = least(weakest, CacheDefinition::acknowledgement);
    Set<String> sites = new LinkedHashSet<>();
    parts.forEach(part -> sites.addAll(part.siteNames()));
    return new CacheDefinition(
        name,
        mode,
        List.copyOf(sites),
        parts.stream().map(CacheDefinition::deadline).max(Comparator.naturalOrder()).orElseThrow(),
        least(parts, CacheDefinition::maxValueBytes),
        acknowledgement,
        least(parts, CacheDefinition::tombstoneGrace),
        acknowledgement == Acknowledgement.PRIMARY ? largestWindow(weakest) : CopyWindow.DEFAULT,
        1,
        Privacy.NONE); // Private caches cannot be parts.
  }

  private static CopyWindow largestWindow(List<CacheDefinition> parts) {
    List<CopyWindow> windows =
        parts.stream()
            .filter(part -> part.acknowledgement() == Acknowledgement.PRIMARY)
            .map(CacheDefinition::window)
            .toList();
    int writes = windows.stream().mapToInt(CopyWindow::writes).max().orElseThrow();
    Duration age =
        windows.stream().map(CopyWindow::age).max(Comparator.naturalOrder()).orElseThrow();
    return new CopyWindow(writes, age);
  }

  /**
   * The constants of modes and acknowledgements are ordered by their guarantee, the weakest first.
   */
  private static <T extends Comparable<? super T>> T least(
      List<CacheDefinition> parts, Function<CacheDefinition, T> setting) {
    return parts.stream().map(setting).min(Comparator.naturalOrder()).orElseThrow();
  }
}
