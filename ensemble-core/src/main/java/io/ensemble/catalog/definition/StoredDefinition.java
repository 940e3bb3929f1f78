package io.ensemble.catalog.definition;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.record.CatalogIds;
import io.ensemble.change.ChangePhase;
import io.ensemble.change.ConfigurationChange;
import io.ensemble.change.ObsoleteStore;
import io.ensemble.placement.ReplicaName;
import io.ensemble.primary.VoterSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A cache's definition as the catalog holds it.
 *
 * @param definition the cache's definition
 * @param birth identifies one creation of a cache of that name: the 12 digits of the catalog's
 *     {@link Definitions#id()}, then 12 random ones, hexadecimal and never used twice. The birth is
 *     part of the names of the stores. A store of a deleted cache, or of another catalog's cache,
 *     is therefore never taken for a store of the present cache of that name
 * @param configuration the number of the set of sites; grows when that set changes
 * @param roll the voter set: which of the sites count, in SWMR; all, unless the cache has continued
 *     without one
 * @param incarnations for each site that has a store, the token of the store's present incarnation:
 *     8 hexadecimal digits, never used twice. If one node holds the store, 8 more digits identify
 *     that node ({@link io.ensemble.site.Site#incarnation}). A site without an incarnation counts
 *     as down until recovered
 * @param revision grows by one with every change of this record; 1 at first
 * @param change the change to another configuration that is in progress, if any
 * @param fenced whether all clients of the cache follow its record to another configuration, so
 *     that it can be changed; false for caches whose record is of an earlier format
 */
public record StoredDefinition(
    CacheDefinition definition,
    String birth,
    long configuration,
    VoterSet roll,
    Map<String, String> incarnations,
    long revision,
    Optional<ConfigurationChange> change,
    boolean fenced) {

  private static final int TOKEN_DIGITS = 8;
  private static final Pattern BIRTH = Pattern.compile("[0-9a-f]{24}");
  private static final Pattern STORE_OF_A_CACHE =
      Pattern.compile("\\.[0-9]+\\.[0-9a-f]{24}\\.[0-9a-f]{8}([0-9a-f]{8})?");
  private static final Pattern TOKEN = Pattern.compile("[0-9a-f]{8}([0-9a-f]{8})?");

  public StoredDefinition {
    incarnations = Collections.unmodifiableMap(new TreeMap<>(incarnations));
    if (!BIRTH.matcher(birth).matches()) {
      throw new IllegalArgumentException(
          "birth must be 24 hexadecimal digits; cache=%s birth=%s"
              .formatted(definition.name(), birth));
    }
    if (!definition.sites().containsAll(roll.sites())
        || (roll.number() == 1 && !roll.sites().equals(definition.sites()))) {
      throw new IllegalArgumentException(
          ("voter sets must be of the sites of the cache, and the first of all of them; cache=%s "
                  + "sites=%s voters=%s")
              .formatted(definition.name(), definition.sites(), roll));
    }
    if (configuration < 1 || revision < 1) {
      throw new IllegalArgumentException(
          "configuration and revision must be 1 or more; configuration=%d revision=%d"
              .formatted(configuration, revision));
    }
    incarnations.forEach(
        (site, token) -> {
          if (!definition.sites().contains(site) || !TOKEN.matcher(token).matches()) {
            throw new IllegalArgumentException(
                ("incarnation must be 8 or 16 hexadecimal digits for a site of the cache; site=%s "
                        + "token=%s")
                    .formatted(site, token));
          }
        });
  }

  /** The first record of a cache. */
  public static StoredDefinition first(
      CacheDefinition definition, String birth, Map<String, String> tokens) {
    VoterSet all = VoterSet.first(definition.sites());
    return new StoredDefinition(definition, birth, 1, all, tokens, 1, Optional.empty(), true);
  }

  /** Whether {@code other} is of the same creation of the same cache, at any revision. */
  public boolean isSameBirth(StoredDefinition other) {
    return birth.equals(other.birth) && definition.name().equals(other.definition.name());
  }

  /** Whether {@code other} is of the same catalog. */
  public boolean isSameCatalog(StoredDefinition other) {
    return birth.regionMatches(0, other.birth, 0, CatalogIds.LENGTH);
  }

  /** The name of the cache's backing store at {@code site}; empty if it has none. */
  public Optional<String> store(String site) {
    return Optional.ofNullable(incarnations.get(site)).map(this::storeName);
  }

  /** The name of a store of this configuration in the incarnation {@code token}. */
  public String storeName(String token) {
    return definition.name() + "." + configuration + "." + birth + "." + token;
  }

  /** The names of this configuration's stores at {@code site}, for all replicas. */
  public Set<String> storesAt(String site) {
    Set<String> stores = new TreeSet<>();
    incarnations.forEach(
        (replica, token) -> {
          if (ReplicaName.siteOf(replica).equals(site)) {
            stores.add(storeName(token));
          }
        });
    return stores;
  }

  /** The node that holds a store, by its incarnation; empty if the site chooses the nodes. */
  public static String nodeOf(String life) {
    return life.substring(TOKEN_DIGITS);
  }

  /** Whether stores of two incarnations are on the same node, or both where their site chooses. */
  public static boolean isOneNode(String life, String other) {
    return nodeOf(life).equals(nodeOf(other));
  }

  /** Whether a store belongs to this cache and birth, in any configuration and incarnation. */
  public boolean isOwnStore(String store) {
    return isStoreOfBirths(store, birth);
  }

  /** Whether a store belongs to any birth of a cache of this name in the same catalog. */
  public boolean isOwnCatalogs(String store) {
    return isStoreOfBirths(store, birth.substring(0, CatalogIds.LENGTH));
  }

  /** Parses names from their end, because a cache's own name may contain dots and digits. */
  private boolean isStoreOfBirths(String store, String beginning) {
    String cache = definition.name();
    return store.startsWith(cache + ".")
        && STORE_OF_A_CACHE.matcher(store.substring(cache.length())).matches()
        && store.startsWith(beginning, store.lastIndexOf('.') - birth.length());
  }

  /** Whether {@code other} is of the same birth and revision. */
  boolean isSameRecord(StoredDefinition other) {
    return isSameBirth(other) && revision == other.revision;
  }

  /** Whether {@code next} may replace this record: the same birth, the next revision. */
  boolean isBefore(StoredDefinition next) {
    return isSameBirth(next) && revision == next.revision - 1;
  }

  /**
   * Whether the cache has the same stores and sites in {@code later}, and they serve. Only a change
   * may differ, and it must not have begun to end this configuration.
   */
  public boolean isServedAsIn(StoredDefinition later) {
    return isSameBirth(later)
        && configuration == later.configuration
        && definition.equals(later.definition)
        && roll.equals(later.roll)
        && incarnations.equals(later.incarnations)
        && later.change.filter(ConfigurationChange::hasSealed).isEmpty();
  }

  /** Whether sites count by a voter set: true for an SWMR cache at two sites. */
  public boolean hasRolls() {
    return definition.mode() == Mode.SWMR && definition.sites().size() == 2;
  }

  /** How many other replicas must answer before a lost store is replaced. */
  public int neededToRefill() {
    return definition.mode() == Mode.WEAK || hasRolls() ? 1 : definition.majority();
  }

  /**
   * Whether stores must not be replaced now, because a change is in progress that relies on the
   * voter set with which it began.
   */
  public boolean isRefillRefused() {
    return change.filter(now -> hasRolls() ? !now.isEnding() : now.hasSealed()).isPresent();
  }

  /** The next revision, with the voter set and the stores of {@code other}. */
  public StoredDefinition withStoresOf(StoredDefinition other) {
    return next(other.roll, other.incarnations, change);
  }

  /** The next revision, with another incarnation at {@code site}. */
  public StoredDefinition withIncarnation(String site, String token) {
    Map<String, String> changed = new HashMap<>(incarnations);
    changed.put(site, token);
    return next(roll, changed, change);
  }

  /** The next revision, in which only {@code next} counts; other sites have no store. */
  public StoredDefinition goingOn(VoterSet next) {
    Map<String, String> left = new HashMap<>(incarnations);
    left.keySet().retainAll(next.sites());
    return next(next, left, change);
  }

  /** The next revision, in which {@code next} counts, with another incarnation at {@code site}. */
  public StoredDefinition goingOn(VoterSet next, String site, String token) {
    return next(next, withIncarnation(site, token).incarnations, change);
  }

  /** The next revision, with {@code next} as its change; empty when the change has ended. */
  public StoredDefinition with(Optional<ConfigurationChange> next) {
    return next(roll, incarnations, next);
  }

  /** The next revision, in which the target of the change is the cache's definition. */
  public StoredDefinition switched() {
    ConfigurationChange done =
        change.orElseThrow(
            () -> new IllegalStateException("no change; cache=" + definition.name()));
    Set<ObsoleteStore> former = new TreeSet<>();
    incarnations.forEach((site, token) -> former.add(new ObsoleteStore(site, storeName(token))));
    return new StoredDefinition(
        done.to(),
        birth,
        next(done),
        VoterSet.first(done.to().sites()),
        done.incarnations(),
        revision + 1,
        Optional.of(done.ending(ChangePhase.CLOSING, former)),
        fenced);
  }

  /**
   * The cache as its clients use it: while a change takes keys over, the target of the change,
   * without the change; otherwise this record.
   */
  public StoredDefinition served() {
    return change
        .filter(ConfigurationChange::isInCutover)
        .map(
            cutover ->
                new StoredDefinition(
                    cutover.to(),
                    birth,
                    next(cutover),
                    VoterSet.first(cutover.to().sites()),
                    cutover.incarnations(),
                    revision,
                    Optional.empty(),
                    fenced))
        .orElse(this);
  }

  /** The stores at the change's sites that are being filled for it. */
  public Set<ObsoleteStore> newStores() {
    Set<ObsoleteStore> stores = new TreeSet<>();
    change
        .map(ConfigurationChange::incarnations)
        .orElse(Map.of())
        .forEach((site, token) -> stores.add(new ObsoleteStore(site, newStore(token))));
    return stores;
  }

  /** The name of a store of the configuration that the change leads to. */
  public String newStore(String token) {
    long number = change.map(this::next).orElse(configuration + 1);
    return definition.name() + "." + number + "." + birth + "." + token;
  }

  /**
   * The number of the configuration that the change leads to or has led to; without a change, the
   * present one.
   */
  public long leadsTo() {
    return change.filter(now -> !now.isEnding()).map(this::next).orElse(configuration);
  }

  /** The number of the configuration that the change leads, or has led, away from. */
  public long leadsFrom() {
    return change
        .filter(now -> now.step() == ChangePhase.CLOSING)
        .map(now -> configuration - 1 - now.restarts())
        .orElse(configuration);
  }

  private long next(ConfigurationChange changing) {
    return configuration + 1 + changing.restarts();
  }

  /**
   * The stores that served before the change was restarted. Empty unless it was restarted, and once
   * it ends.
   */
  public Set<ObsoleteStore> abandoned() {
    return change
        .filter(now -> !now.isEnding())
        .<Set<ObsoleteStore>>map(ConfigurationChange::abandoned)
        .orElse(Set.of());
  }

  /** The number of the configuration of a store of this birth. */
  public long number(String store) {
    String number = store.substring(definition.name().length() + 1).split("\\.", 2)[0];
    return number.length() > 18 ? Long.MAX_VALUE : Long.parseLong(number);
  }

  /** Whether the store is being filled for the change. */
  public boolean isOfChange(String store) {
    return newStores().stream().anyMatch(one -> one.store().equals(store));
  }

  /** Whether a store is of this birth and of a later configuration. */
  public boolean isOfLaterConfiguration(String store) {
    return isOwnStore(store) && number(store) > configuration;
  }

  /** The sites at which the cache has or will have stores, or may still have former ones. */
  public Set<String> allSites() {
    Set<String> all = new TreeSet<>(definition.sites());
    change.ifPresent(
        now -> {
          all.addAll(now.to().sites());
          now.remains().forEach(left -> all.add(left.site()));
        });
    return all;
  }

  private StoredDefinition next(
      VoterSet counted, Map<String, String> lives, Optional<ConfigurationChange> changing) {
    return new StoredDefinition(
        definition, birth, configuration, counted, lives, revision + 1, changing, fenced);
  }
}
