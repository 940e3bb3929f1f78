package io.ensemble;

import io.ensemble.placement.ReplicaName;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The definition of a cache: its replicas and its guarantees. Immutable. The constructor rejects
 * settings that cannot work with {@link IllegalArgumentException}. For a setting other than a name,
 * that exception is an {@link InvalidSettingException}.
 *
 * @param name 1 to {@value #MAX_NAME_BYTES} bytes of UTF-8 without control characters, not blank
 * @param mode the consistency
 * @param sites the names of the replicas, distinct, at least one. A replica has the name of its
 *     site. If a site holds several, they are {@code SITE/1}, {@code SITE/2} and so on, each on its
 *     own node. A WEAK cache has one replica at a site, on all nodes, and prefers earlier sites if
 *     it has no local one. The first replica is the first primary of an SWMR cache. A strong cache
 *     at one site, and an MWMR cache at two, receives several replicas there when it is created
 * @param deadline the longest time of a call, unless its view has another deadline; positive, at
 *     most {@link #MAX_DEADLINE}
 * @param maxValueBytes the largest encoded key or value; 1 to {@value #LARGEST_VALUE_BYTES}
 * @param acknowledgement the condition under which a write returns; always a majority in MWMR
 * @param tombstoneGrace how long a tombstone stays after every site has received it; not negative,
 *     at most {@link #MAX_TOMBSTONE_GRACE}
 * @param window how many acknowledged writes may be missing at a majority. Unless writes are
 *     acknowledged by the primary alone it must be {@link CopyWindow#DEFAULT} and has no effect
 * @param siblings the most concurrent values of a key that a WEAK cache keeps; together they have
 *     at most {@value #LARGEST_VALUE_BYTES} bytes. With 1, as always in the other modes, the last
 *     writer wins
 * @param privacy which part of the entries clients encrypt; the keyset is not part of the
 *     definition
 */
public record CacheDefinition(
    String name,
    Mode mode,
    List<String> sites,
    Duration deadline,
    int maxValueBytes,
    Acknowledgement acknowledgement,
    Duration tombstoneGrace,
    CopyWindow window,
    int siblings,
    Privacy privacy) {

  /**
   * The longest name. Names of backing caches add a suffix, and Infinispan allows 255 bytes in all.
   */
  public static final int MAX_NAME_BYTES = NameRules.MOST_BYTES;

  /** The longest default deadline. */
  public static final Duration MAX_DEADLINE = Duration.ofSeconds(60);

  /** The longest tombstone grace. */
  public static final Duration MAX_TOMBSTONE_GRACE = Duration.ofDays(365);

  /** The highest limit for a value; sites transfer values whole. */
  public static final int LARGEST_VALUE_BYTES = 64 << 20;

  /** The most replicas of a cache whose number of replicas is given. */
  public static final int MOST_REPLICAS = 9;

  /** The default number of siblings of a cache that keeps siblings. */
  public static final int USUAL_SIBLINGS = 16;

  public CacheDefinition {
    NameRules.check("cache name", name);
    Objects.requireNonNull(mode, "mode");
    Objects.requireNonNull(privacy, "privacy");
    sites = List.copyOf(sites);
    require("sites", !sites.isEmpty(), "a cache needs at least one site; cache=" + name);
    sites.forEach(site -> NameRules.check("site name", site));
    require(
        "sites",
        new HashSet<>(sites).size() == sites.size(),
        "site names of a cache must be unique; cache=" + name + " sites=" + sites);
    checkReplicas(name, mode, sites);
    require(
        "deadline",
        deadline.compareTo(Duration.ZERO) > 0 && deadline.compareTo(MAX_DEADLINE) <= 0,
        "deadline must be in (0 s, " + MAX_DEADLINE + "]; cache=" + name + " deadline=" + deadline);
    require(
        "maxValueBytes",
        maxValueBytes > 0 && maxValueBytes <= LARGEST_VALUE_BYTES,
        "maxValueBytes must be in [1, "
            + LARGEST_VALUE_BYTES
            + "]; cache="
            + name
            + " got="
            + maxValueBytes);
    require(
        "acknowledgement",
        acknowledgement.isFor(mode),
        ("acknowledgement LOCAL requires mode WEAK, PRIMARY requires SWMR; cache=%s mode=%s "
                + "acknowledgement=%s")
            .formatted(name, mode, acknowledgement));
    require(
        "window",
        acknowledgement == Acknowledgement.PRIMARY || window.equals(CopyWindow.DEFAULT),
        "a window requires acknowledgement PRIMARY; cache=%s acknowledgement=%s"
            .formatted(name, acknowledgement));
    require(
        "siblings",
        siblings == 1 || (siblings > 1 && mode == Mode.WEAK),
        ("siblings must be 1 or more in mode WEAK, and 1 in other modes; cache=%s mode=%s "
                + "siblings=%s")
            .formatted(name, mode, siblings));
    require(
        "siblings",
        siblings == 1 || (long) siblings * maxValueBytes <= LARGEST_VALUE_BYTES,
        "siblings of a key must not exceed %d bytes in total; cache=%s siblings=%s maxValueBytes=%s"
            .formatted(LARGEST_VALUE_BYTES, name, siblings, maxValueBytes));
    require(
        "tombstoneGrace",
        !tombstoneGrace.isNegative() && tombstoneGrace.compareTo(MAX_TOMBSTONE_GRACE) <= 0,
        "tombstone grace must be in [0, "
            + MAX_TOMBSTONE_GRACE
            + "]; cache="
            + name
            + " tombstoneGrace="
            + tombstoneGrace);
  }

  /**
   * Starts a definition with the defaults: deadline 5 s, values up to 1 MiB, tombstone grace 10
   * minutes. The acknowledgement is LOCAL in WEAK and MAJORITY otherwise.
   */
  public static Builder of(String name, Mode mode) {
    return new Builder(name, mode);
  }

  /** The names of the sites that hold the cache, each once, in the order of its replicas. */
  public List<String> siteNames() {
    return ReplicaName.sitesOf(sites);
  }

  /** Whether a site holds several replicas of the cache. */
  public boolean hasNumberedReplicas() {
    return siteNames().size() < sites.size();
  }

  /** Whether {@code site} holds a replica of the cache. */
  public boolean isAtSite(String site) {
    return sites.stream().anyMatch(replica -> ReplicaName.siteOf(replica).equals(site));
  }

  /**
   * The first replica at {@code site}; empty if the site holds none, or if {@code site} is empty.
   */
  public Optional<String> replicaAt(Optional<String> site) {
    return site.flatMap(name -> ReplicaName.at(name, sites).stream().findFirst());
  }

  private static void checkReplicas(String name, Mode mode, List<String> replicas) {
    List<String> names = ReplicaName.sitesOf(replicas);
    boolean isNumbered = replicas.stream().anyMatch(ReplicaName::isReserved);
    require(
        "sites",
        !isNumbered || mode != Mode.WEAK,
        "a WEAK cache must have one replica at each site; cache=" + name + " sites=" + replicas);
    require(
        "sites",
        !isNumbered || mode != Mode.SWMR || names.size() != 2,
        "an SWMR cache at two sites must have one replica at each; cache=%s sites=%s"
            .formatted(name, replicas));
    require(
        "sites",
        !isNumbered || names.size() > 1 || replicas.size() > 2,
        "a cache at one site must have 1 replica, or 3 or more; cache=%s sites=%s"
            .formatted(name, replicas));
    for (String site : names) {
      List<String> here = ReplicaName.at(site, replicas);
      require(
          "sites",
          new HashSet<>(here)
              .equals(new HashSet<>(ReplicaName.ofCounts(Map.of(site, here.size())))),
          ("the only replica of a site must be named SITE, several must be named SITE/1, SITE/2 "
                  + "and so on; cache=%s sites=%s")
              .formatted(name, replicas));
      require(
          "sites",
          names.size() < 3 || 2 * here.size() < replicas.size(),
          ("no site may hold a majority of the replicas of a cache at three or more sites; "
                  + "cache=%s site=%s replicas=%s")
              .formatted(name, site, replicas));
    }
  }

  /** The same definition under another name. */
  public CacheDefinition named(String other) {
    return copy(other, sites);
  }

  /** The same definition at other sites. */
  public CacheDefinition at(List<String> others) {
    return copy(name, others);
  }

  private CacheDefinition copy(String otherName, List<String> otherSites) {
    return new CacheDefinition(
        otherName,
        mode,
        otherSites,
        deadline,
        maxValueBytes,
        acknowledgement,
        tombstoneGrace,
        window,
        siblings,
        privacy);
  }

  /** The guarantee for readers: that of the mode, or that of a cache with siblings. */
  public String guarantee() {
    return keepsSiblings()
        ? "converges to the same siblings, %d at most: a value stays until a write that has seen it"
                .formatted(siblings)
            + " takes its place; a write acknowledged only by a site that is then lost permanently may"
            + " be lost"
        : mode.guarantee();
  }

  /** Whether the cache keeps concurrent values of a key as siblings. */
  public boolean keepsSiblings() {
    return siblings > 1;
  }

  /** The number of replicas that is more than half. */
  public int majority() {
    return sites.size() / 2 + 1;
  }

  /**
   * The settings in which {@code other} differs, as {@code setting: value of this, value of other};
   * empty if both are equal.
   */
  public List<String> differences(CacheDefinition other) {
    List<String> found = new ArrayList<>();
    differ(found, "name", name, other.name);
    differ(found, "mode", mode, other.mode);
    differ(found, "sites", sites, other.sites);
    differ(found, "deadline", deadline, other.deadline);
    differ(found, "maxValueBytes", maxValueBytes, other.maxValueBytes);
    differ(found, "acknowledgement", acknowledgement, other.acknowledgement);
    differ(found, "tombstoneGrace", tombstoneGrace, other.tombstoneGrace);
    differ(found, "window", window, other.window);
    differ(found, "siblings", siblings, other.siblings);
    differ(found, "privacy", privacy, other.privacy);
    return found;
  }

  static void differ(List<String> found, String setting, Object ours, Object theirs) {
    if (!ours.equals(theirs)) {
      found.add(setting + ": " + ours + ", " + theirs);
    }
  }

  private static void require(String setting, boolean holds, String otherwise) {
    if (!holds) {
      throw new InvalidSettingException(setting, otherwise);
    }
  }

  /** Collects settings; {@link #build()} checks them. Not thread-safe. */
  public static final class Builder {

    private final String name;
    private final Mode mode;
    private List<String> sites = List.of();
    private int replicas;
    private Duration deadline = Duration.ofSeconds(5);
    private int maxValueBytes = 1 << 20;
    private Acknowledgement acknowledgement;
    private Duration tombstoneGrace = Duration.ofMinutes(10);
    private CopyWindow window = CopyWindow.DEFAULT;
    private int siblings = 1;
    private Privacy privacy = Privacy.NONE;

    private Builder(String name, Mode mode) {
      this.name = name;
      this.mode = mode;
      this.acknowledgement = mode == Mode.WEAK ? Acknowledgement.LOCAL : Acknowledgement.MAJORITY;
    }

    /** The sites that hold the cache, in order of preference. */
    public Builder sites(String... names) {
      return sites(List.of(names));
    }

    /** The sites that hold the cache, in order of preference. */
    public Builder sites(List<String> names) {
      sites = names;
      return this;
    }

    /**
     * The number of replicas of a strong cache, each on its own node, divided among its sites as
     * evenly as possible. 3, 5, 7 or 9 replicas survive the loss of 1, 2, 3 or 4 nodes. By default
     * there is one replica at each site, with two exceptions. A cache at a single site of three
     * nodes or more has three. An MWMR cache at two sites has two at each.
     */
    public Builder replicas(int count) {
      replicas = count;
      return this;
    }

    /** The longest time of a call. */
    public Builder deadline(Duration longest) {
      deadline = longest;
      return this;
    }

    /** The largest encoded key or value. */
    public Builder maxValueBytes(int bytes) {
      maxValueBytes = bytes;
      return this;
    }

    /** The condition under which a write returns. */
    public Builder acknowledgement(Acknowledgement wanted) {
      acknowledgement = wanted;
      return this;
    }

    /** How long a tombstone stays. */
    public Builder tombstoneGrace(Duration grace) {
      tombstoneGrace = grace;
      return this;
    }

    /** How many writes the primary may acknowledge before a majority holds them. */
    public Builder window(CopyWindow bounds) {
      window = bounds;
      return this;
    }

    /**
     * How many concurrent values of a key a WEAK cache keeps; with 1, only the last writer's value.
     */
    public Builder siblings(int most) {
      siblings = most;
      return this;
    }

    /** Which part of the entries clients encrypt. A manager needs the keyset to open the cache. */
    public Builder privacy(Privacy wanted) {
      privacy = wanted;
      return this;
    }

    /**
     * Builds the definition. Fails with {@link IllegalArgumentException}, which names the setting
     * that cannot work.
     */
    public CacheDefinition build() {
      require(
          "replicas",
          replicas <= sites.size() || mode != Mode.WEAK,
          "a WEAK cache must have one replica at each site; "
              + "cache="
              + name
              + " replicas="
              + replicas);
      require(
          "replicas",
          replicas == 0 || sites.size() > 2 || replicas > sites.size(),
          ("a cache at one or two sites must have more replicas than sites, or leave their number "
                  + "open; cache=%s sites=%s replicas=%d")
              .formatted(name, sites, replicas));
      require(
          "replicas",
          replicas == 0 || (replicas >= sites.size() && replicas <= MOST_REPLICAS),
          ("number of replicas must be at least the number of sites and at most %d; cache=%s "
                  + "sites=%s replicas=%d")
              .formatted(MOST_REPLICAS, name, sites, replicas));
      return new CacheDefinition(
          name,
          mode,
          replicas == 0 ? sites : ReplicaName.spread(sites, replicas),
          deadline,
          maxValueBytes,
          acknowledgement,
          tombstoneGrace,
          window,
          siblings,
          privacy);
    }
  }
}
