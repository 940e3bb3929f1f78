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
 * @param definition what the cache is
 * @param birth which creation of a cache of that name this is: the 12 digits of the catalog's
 *     {@link Definitions#id()}, then 12 random ones, hexadecimal and never used twice. Part of its
 *     stores' names, so that no store of a cache that was deleted, or is another catalog's, is ever
 *     taken for one of the cache that has its name here now
 * @param configuration the number of the set of sites; grows when that set changes
 * @param roll which of the sites count, in SWMR; all, unless it has gone on without one
 * @param incarnations for each site that has one, the token of its store's present life: 8
 *     hexadecimal digits, never used twice, and 8 that say which node of the site holds it, if one
 *     does ({@link io.ensemble.site.Site#incarnation}). A site without one counts as down until
 *     recovered
 * @param revision grows by one with every change of this record; 1 at first
 * @param change how it comes to another configuration, while it does
 * @param fenced whether all who use the cache follow its record to another configuration, so that
 *     it can be changed; not of caches whose record is of an earlier format
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
          "a birth is 24 hexadecimal digits; cache=%s birth=%s"
              .formatted(definition.name(), birth));
    }
    if (!definition.sites().containsAll(roll.sites())
        || (roll.number() == 1 && !roll.sites().equals(definition.sites()))) {
      throw new IllegalArgumentException(
          "a roll is of the cache's sites, the first of all; cache=%s sites=%s roll=%s"
              .formatted(definition.name(), definition.sites(), roll));
    }
    if (configuration < 1 || revision < 1) {
      throw new IllegalArgumentException(
          "configurations and revisions count from 1; configuration=%d revision=%d"
              .formatted(configuration, revision));
    }
    incarnations.forEach(
        (site, token) -> {
          if (!definition.sites().contains(site) || !TOKEN.matcher(token).matches()) {
            throw new IllegalArgumentException(
                "an incarnation is 8 or 16 hexadecimal digits for a site of the cache; site=%s token=%s"
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

  /** Whether {@code other} is of the same creation of the same cache, at whatever revision. */
  public boolean isSameBirth(StoredDefinition other) {
    return birth.equals(other.birth) && definition.name().equals(other.definition.name());
  }

  /** Whether {@code other} is of the same catalog. */
  public boolean isSameCatalog(StoredDefinition other) {
    return birth.regionMatches(0, other.birth, 0, CatalogIds.LENGTH);
  }

  /** The name of the cache's backing store at {@code site}; empty when it has none. */
  public Optional<String> store(String site) {
    return Optional.ofNullable(incarnations.get(site)).map(this::storeName);
  }

  /** The name that a store of this configuration has in the life {@code token}. */
  public String storeName(String token) {
    return definition.name() + "." + configuration + "." + birth + "." + token;
  }

  /** The names of this configuration's stores that {@code site} holds, for whatever replica. */
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

  /** The node that a store's life says holds it; empty if its site decides. */
  public static String nodeOf(String life) {
    return life.substring(TOKEN_DIGITS);
  }

  /** Whether stores of two lives are at the same node, or wherever their site decides. */
  public static boolean isOneNode(String life, String other) {
    return nodeOf(life).equals(nodeOf(other));
  }

  /** Whether a store is this cache's, of this birth, in whatever configuration and life. */
  public boolean isOwnStore(String store) {
    return isStoreOfBirths(store, birth);
  }

  /** Whether a store is of some birth of a cache of this name in the same catalog. */
  public boolean isOwnCatalogs(String store) {
    return isStoreOfBirths(store, birth.substring(0, CatalogIds.LENGTH));
  }

  /** Names are read from their end, for a cache's own name may hold dots and digits. */
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

  /** Whether {@code next} may take this record's place: the same birth, one revision on. */
  boolean isBefore(StoredDefinition next) {
    return isSameBirth(next) && revision == next.revision - 1;
  }

  /**
   * Whether the cache has the same stores and sites in {@code later}, and they serve: nothing but a
   * change on its way there differs, which has not begun to end this configuration.
   */
  public boolean isServedAsIn(StoredDefinition later) {
    return isSameBirth(later)
        && configuration == later.configuration
        && definition.equals(later.definition)
        && roll.equals(later.roll)
        && incarnations.equals(later.incarnations)
        && later.change.filter(ConfigurationChange::hasSealed).isEmpty();
  }

  /** Whether a site counts by the roll: of an SWMR cache at two sites. */
  public boolean hasRolls() {
    return definition.mode() == Mode.SWMR && definition.sites().size() == 2;
  }

  /** How many other replicas must answer for a lost store to be replaced. */
  public int neededToRefill() {
    return definition.mode() == Mode.WEAK || hasRolls() ? 1 : definition.majority();
  }

  /**
   * Whether no store is replaced just now, for the sake of a change that is under way: it counts on
   * the roll that it began with.
   */
  public boolean isRefillRefused() {
    return change.filter(now -> hasRolls() ? !now.isEnding() : now.hasSealed()).isPresent();
  }

  /** The next revision, with the roll and the stores of {@code other}. */
  public StoredDefinition withStoresOf(StoredDefinition other) {
    return next(other.roll, other.incarnations, change);
  }

  /** The next revision, with another life at {@code site}. */
  public StoredDefinition withIncarnation(String site, String token) {
    Map<String, String> changed = new HashMap<>(incarnations);
    changed.put(site, token);
    return next(roll, changed, change);
  }

  /** The next revision, in which only {@code next} counts; sites that do not have no store. */
  public StoredDefinition goingOn(VoterSet next) {
    Map<String, String> left = new HashMap<>(incarnations);
    left.keySet().retainAll(next.sites());
    return next(next, left, change);
  }

  /** The next revision, in which {@code next} counts, {@code site} with another life. */
  public StoredDefinition goingOn(VoterSet next, String site, String token) {
    return next(next, withIncarnation(site, token).incarnations, change);
  }

  /** The next revision, with {@code next} for its change; none when it is over. */
  public StoredDefinition with(Optional<ConfigurationChange> next) {
    return next(roll, incarnations, next);
  }

  /** The next revision, in which what the change leads to is what the cache is. */
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
   * The cache as its users have it: while a change takes keys over, what it leads to, without the
   * change; else this.
   */
  public StoredDefinition served() {
    return change
        .filter(ConfigurationChange::isJoint)
        .map(
            joint ->
                new StoredDefinition(
                    joint.to(),
                    birth,
                    next(joint),
                    VoterSet.first(joint.to().sites()),
                    joint.incarnations(),
                    revision,
                    Optional.empty(),
                    fenced))
        .orElse(this);
  }

  /** The stores that are being filled for the change, at its sites. */
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

  /** The number of the configuration that the change leads to, or has led to; else the present. */
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

  /** The number of the configuration that a store of this birth is of. */
  public long number(String store) {
    String number = store.substring(definition.name().length() + 1).split("\\.", 2)[0];
    return number.length() > 18 ? Long.MAX_VALUE : Long.parseLong(number);
  }

  /** Whether it is a store that is being filled for the change. */
  public boolean isOfChange(String store) {
    return newStores().stream().anyMatch(one -> one.store().equals(store));
  }

  /** Whether a store is of this birth, in a configuration that is yet to come. */
  public boolean isOfLaterConfiguration(String store) {
    return isOwnStore(store) && number(store) > configuration;
  }

  /** The sites at which the cache has stores, or will have, or has had and may have still. */
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
