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
 * What a cache is: where it lives and what it promises. Immutable; the constructor refuses settings
 * that cannot work with {@link IllegalArgumentException}, {@link InvalidSettingException} where it
 * is one of them and not a name.
 *
 * @param name 1 to {@value #MAX_NAME_BYTES} bytes of UTF-8 without control characters, not blank
 * @param mode the consistency
 * @param sites the names of its replicas, distinct, at least one. A replica has the name of its
 *     site; where a site holds several, they are {@code SITE/1}, {@code SITE/2} and so on, on a
 *     node each. A WEAK cache has one at a site, on all nodes, and prefers earlier ones when it has
 *     no local site. The first one is the first primary of an SWMR cache. A strong cache at one
 *     site, and an MWMR cache at two, is given several replicas there when it is created
 * @param deadline how long a call may take unless its view says otherwise; positive, at most {@link
 *     #MAX_DEADLINE}
 * @param maxValueBytes the largest key or value, encoded; 1 to {@value #LARGEST_VALUE_BYTES}
 * @param acknowledgement what a write waits for; always a majority in MWMR
 * @param tombstoneGrace how long a removed key is remembered after every site has heard of it; not
 *     negative, at most {@link #MAX_TOMBSTONE_GRACE}
 * @param window how many writes may be acknowledged that a majority does not hold yet; {@link
 *     CopyWindow#DEFAULT}, and without effect, unless they are acknowledged by the primary alone
 * @param siblings how many concurrent values of a key a WEAK cache keeps at most, all of them
 *     together no larger than {@value #LARGEST_VALUE_BYTES} bytes; with 1 the last writer wins, in
 *     the other modes always
 * @param privacy what of it is encrypted by its clients; which keyset they do that with is not said
 *     here
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

  /** Backing caches add a suffix to the name, and Infinispan allows 255 bytes in all. */
  public static final int MAX_NAME_BYTES = NameRules.MOST_BYTES;

  /** The longest default deadline. */
  public static final Duration MAX_DEADLINE = Duration.ofSeconds(60);

  /** The longest tombstone grace. */
  public static final Duration MAX_TOMBSTONE_GRACE = Duration.ofDays(365);

  /** The highest limit for a value: sites move values whole. */
  public static final int LARGEST_VALUE_BYTES = 64 << 20;

  /** How many replicas a cache has at most where their number is given. */
  public static final int MOST_REPLICAS = 9;

  /** How many concurrent values a cache keeps that keeps any, unless another number is given. */
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
        "a cache names each site once; cache=" + name + " sites=" + sites);
    checkReplicas(name, mode, sites);
    require(
        "deadline",
        deadline.compareTo(Duration.ZERO) > 0 && deadline.compareTo(MAX_DEADLINE) <= 0,
        "a deadline is positive and at most "
            + MAX_DEADLINE
            + "; cache="
            + name
            + " deadline="
            + deadline);
    require(
        "maxValueBytes",
        maxValueBytes > 0 && maxValueBytes <= LARGEST_VALUE_BYTES,
        "maxValueBytes is 1 to " + LARGEST_VALUE_BYTES + "; cache=" + name + " " + maxValueBytes);
    require(
        "acknowledgement",
        acknowledgement.isFor(mode),
        "LOCAL is for WEAK caches, PRIMARY for SWMR; cache=%s mode=%s acknowledgement=%s"
            .formatted(name, mode, acknowledgement));
    require(
        "window",
        acknowledgement == Acknowledgement.PRIMARY || window.equals(CopyWindow.DEFAULT),
        "only writes that the primary alone acknowledges have a window; cache=%s acknowledgement=%s"
            .formatted(name, acknowledgement));
    require(
        "siblings",
        siblings == 1 || (siblings > 1 && mode == Mode.WEAK),
        "WEAK caches keep 1 or more siblings, those of other modes 1; cache=%s mode=%s siblings=%s"
            .formatted(name, mode, siblings));
    require(
        "siblings",
        siblings == 1 || (long) siblings * maxValueBytes <= LARGEST_VALUE_BYTES,
        "the siblings of a key have at most %d bytes together; cache=%s siblings=%s maxValueBytes=%s"
            .formatted(LARGEST_VALUE_BYTES, name, siblings, maxValueBytes));
    require(
        "tombstoneGrace",
        !tombstoneGrace.isNegative() && tombstoneGrace.compareTo(MAX_TOMBSTONE_GRACE) <= 0,
        "a tombstone grace is 0 to "
            + MAX_TOMBSTONE_GRACE
            + "; cache="
            + name
            + " tombstoneGrace="
            + tombstoneGrace);
  }

  /** Starts a definition with the defaults: 5 s, 1 MiB, LOCAL in WEAK, 10 minutes. */
  public static Builder of(String name, Mode mode) {
    return new Builder(name, mode);
  }

  /** The names of the sites that hold it, each once, in the order of its replicas. */
  public List<String> siteNames() {
    return ReplicaName.sitesOf(sites);
  }

  /** Whether it has several replicas at a site. */
  public boolean hasNumberedReplicas() {
    return siteNames().size() < sites.size();
  }

  /** Whether {@code site} holds it. */
  public boolean isAtSite(String site) {
    return sites.stream().anyMatch(replica -> ReplicaName.siteOf(replica).equals(site));
  }

  /** The first of its replicas at {@code site}; empty if there is none, or no such site. */
  public Optional<String> replicaAt(Optional<String> site) {
    return site.flatMap(name -> ReplicaName.at(name, sites).stream().findFirst());
  }

  private static void checkReplicas(String name, Mode mode, List<String> replicas) {
    List<String> names = ReplicaName.sitesOf(replicas);
    boolean isNumbered = replicas.stream().anyMatch(ReplicaName::isReserved);
    require(
        "sites",
        !isNumbered || mode != Mode.WEAK,
        "a WEAK cache has one replica at a site; cache=" + name + " sites=" + replicas);
    require(
        "sites",
        !isNumbered || mode != Mode.SWMR || names.size() != 2,
        "an SWMR cache at two sites has one replica at each; cache=%s sites=%s"
            .formatted(name, replicas));
    require(
        "sites",
        !isNumbered || names.size() > 1 || replicas.size() > 2,
        "several replicas at one site are three or more; cache=%s sites=%s"
            .formatted(name, replicas));
    for (String site : names) {
      List<String> here = ReplicaName.at(site, replicas);
      require(
          "sites",
          new HashSet<>(here)
              .equals(new HashSet<>(ReplicaName.ofCounts(Map.of(site, here.size())))),
          "a site's only replica has its name, several are SITE/1, SITE/2 and so on; cache=%s sites=%s"
              .formatted(name, replicas));
      require(
          "sites",
          names.size() < 3 || 2 * here.size() < replicas.size(),
          "of a cache at three sites or more no site holds a majority of the replicas;"
              + " cache=%s site=%s replicas=%s".formatted(name, site, replicas));
    }
  }

  /** The same under another name. */
  public CacheDefinition named(String other) {
    return copy(other, sites);
  }

  /** The same at other sites. */
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

  /** What readers may rely on: what the mode says, or what siblings make of it. */
  public String guarantee() {
    return keepsSiblings()
        ? "converges to the same siblings, %d at most: a value stays until a write that has seen it"
                .formatted(siblings)
            + " takes its place; a write acknowledged only by a site that is then lost permanently may"
            + " be lost"
        : mode.guarantee();
  }

  /** Whether concurrent values of a key are kept beside each other. */
  public boolean keepsSiblings() {
    return siblings > 1;
  }

  /** How many replicas are more than half. */
  public int majority() {
    return sites.size() / 2 + 1;
  }

  /**
   * In which settings {@code other} differs, as {@code setting: ours, theirs}; empty when they are
   * equal.
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
     * How many replicas a strong cache has, on a node each, dealt out over its sites as evenly as
     * can be. 3, 5, 7 or 9 survive the loss of 1, 2, 3 or 4 nodes. Without this there is one at
     * each site; three at the only site, if that has three nodes; two at each of two, in MWMR.
     */
    public Builder replicas(int count) {
      replicas = count;
      return this;
    }

    /** How long a call may take. */
    public Builder deadline(Duration longest) {
      deadline = longest;
      return this;
    }

    /** The largest key or value, encoded. */
    public Builder maxValueBytes(int bytes) {
      maxValueBytes = bytes;
      return this;
    }

    /** What a write waits for. */
    public Builder acknowledgement(Acknowledgement wanted) {
      acknowledgement = wanted;
      return this;
    }

    /** How long a removed key is remembered. */
    public Builder tombstoneGrace(Duration grace) {
      tombstoneGrace = grace;
      return this;
    }

    /** How many writes the primary may acknowledge before a majority holds them. */
    public Builder window(CopyWindow bounds) {
      window = bounds;
      return this;
    }

    /** How many concurrent values of a key are kept, in WEAK; 1 for the last writer's alone. */
    public Builder siblings(int most) {
      siblings = most;
      return this;
    }

    /** What clients encrypt; who opens the cache gives the manager its keyset. */
    public Builder privacy(Privacy wanted) {
      privacy = wanted;
      return this;
    }

    /** The definition; fails with {@link IllegalArgumentException} naming what cannot work. */
    public CacheDefinition build() {
      require(
          "replicas",
          replicas <= sites.size() || mode != Mode.WEAK,
          "a WEAK cache has one replica at a site; cache=" + name + " replicas=" + replicas);
      require(
          "replicas",
          replicas == 0 || sites.size() > 2 || replicas > sites.size(),
          "a cache at one or two sites has more replicas than sites, or leaves their number open;"
              + " cache=%s sites=%s replicas=%d".formatted(name, sites, replicas));
      require(
          "replicas",
          replicas == 0 || (replicas >= sites.size() && replicas <= MOST_REPLICAS),
          "a cache has a replica at each site at least, and %d in all at most; cache=%s sites=%s replicas=%d"
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
