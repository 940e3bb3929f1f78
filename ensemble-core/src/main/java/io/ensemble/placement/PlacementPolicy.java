package io.ensemble.placement;

import io.ensemble.NameRules;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The placement policy of a cache. The extent, the banned sites, the required labels and the room
 * for entries are constraints: a placement satisfies them or fails. The spread, the preferred sites
 * and the near caches are preferences (LEADS D2.6, section 4, feature F31: explicit and constrained
 * placement, data-to-query and data-to-data affinity).
 *
 * @param cache the cache's name
 * @param extent the sites themselves, or how many
 * @param banned sites that must not hold it, also ones that do not exist any more
 * @param required labels that each of its sites has, with these values
 * @param spreadBy a label of which its sites have different values, as far as that is possible
 * @param preferred sites that hold it if they may, usually the sites that will query it
 * @param near caches near which it is placed, usually caches that are used together with it
 * @param entries how many entries it is expected to hold; 0 if unknown. A site that is known to
 *     have less room is left out
 */
public record PlacementPolicy(
    String cache,
    Extent extent,
    Set<String> banned,
    Map<String, String> required,
    Optional<String> spreadBy,
    Set<String> preferred,
    Set<String> near,
    long entries) {

  /** The sites themselves, or how many. */
  public sealed interface Extent {

    /** These sites, in this order. */
    record Exactly(List<String> sites) implements Extent {
      public Exactly {
        sites = List.copyOf(sites);
        if (sites.isEmpty() || new HashSet<>(sites).size() < sites.size()) {
          throw new IllegalArgumentException(
              "explicit sites must be one or more, each listed once; sites=" + sites);
        }
      }
    }

    /** This number of sites. */
    record Copies(int factor) implements Extent {
      public Copies {
        if (factor < 1) {
          throw new IllegalArgumentException(
              "replication factor must be at least 1; factor=" + factor);
        }
      }
    }
  }

  public PlacementPolicy {
    banned = Set.copyOf(banned);
    required = Map.copyOf(required);
    preferred = Set.copyOf(preferred);
    near = Set.copyOf(near);
    banned.forEach(site -> NameRules.check("site name", site));
    preferred.forEach(site -> NameRules.check("site name", site));
    near.forEach(other -> NameRules.check("cache name", other));
    spreadBy.ifPresent(label -> NameRules.check("label", label));
    required.forEach(PlacementPolicy::checkLabel);
    if (entries < 0 || entries > SiteLoad.MOST) {
      throw new IllegalArgumentException(
          "number of entries must be in [0, %d]; cache=%s entries=%d"
              .formatted(SiteLoad.MOST, cache, entries));
    }
    if (near.contains(cache)) {
      throw new IllegalArgumentException("a cache cannot be near itself; cache=" + cache);
    }
    Set<String> both = new TreeSet<>(preferred);
    both.retainAll(banned);
    if (!both.isEmpty()) {
      throw new IllegalArgumentException(
          "a site must not be both preferred and banned; cache=%s sites=%s".formatted(cache, both));
    }
  }

  private static void checkLabel(String label, String value) {
    NameRules.check("label", label);
    NameRules.check("label's value", value);
    if (label.indexOf('=') >= 0) {
      throw new IllegalArgumentException("a label must not contain '='; label=" + label);
    }
  }

  /** Starts a policy for {@code factor} sites. */
  public static Builder copies(String cache, int factor) {
    return new Builder(cache, new Extent.Copies(factor));
  }

  /** Starts a policy for these sites. */
  public static Builder exactly(String cache, List<String> sites) {
    return new Builder(cache, new Extent.Exactly(sites));
  }

  /** Builds a policy. Not thread-safe. */
  public static final class Builder {

    private final String cache;
    private final Extent extent;
    private final Set<String> banned = new TreeSet<>();
    private final Map<String, String> required = new TreeMap<>();
    private final Set<String> preferred = new TreeSet<>();
    private final Set<String> near = new TreeSet<>();
    private Optional<String> spreadBy = Optional.empty();
    private long entries;

    private Builder(String cache, Extent extent) {
      this.cache = cache;
      this.extent = extent;
    }

    /** Never at these sites. */
    public Builder ban(String... sites) {
      banned.addAll(List.of(sites));
      return this;
    }

    /** Only where this label has this value. */
    public Builder require(String label, String value) {
      required.put(label, value);
      return this;
    }

    /** At different values of this label. */
    public Builder spreadBy(String label) {
      spreadBy = Optional.of(label);
      return this;
    }

    /** At these sites, if they may hold it. */
    public Builder prefer(String... sites) {
      preferred.addAll(List.of(sites));
      return this;
    }

    /** At the sites of these caches. */
    public Builder near(String... caches) {
      near.addAll(List.of(caches));
      return this;
    }

    /** How many entries are expected. */
    public Builder entries(long expected) {
      entries = expected;
      return this;
    }

    /** The policy; fails with {@link IllegalArgumentException} when it contradicts itself. */
    public PlacementPolicy build() {
      return new PlacementPolicy(
          cache, extent, banned, required, spreadBy, preferred, near, entries);
    }
  }
}
