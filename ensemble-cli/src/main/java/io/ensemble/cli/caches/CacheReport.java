package io.ensemble.cli.caches;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.ensemble.CacheDefinition;
import io.ensemble.catalog.definition.StoredDefinition;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cache as commands report it.
 *
 * @param counted the sites that count; null when all do. The others must be recovered
 * @param siblings the number of concurrent values of a key that are kept; null where the last
 *     writer wins
 * @param encrypted the parts that clients encrypt; null for none
 * @param stores the backing cache at each site; null if the site has lost it and has not yet been
 *     recovered
 * @param redundancy the replicas that are whole; null in lists
 * @param term the term of an SWMR cache; null in other modes, and in lists
 */
record CacheReport(
    String name,
    String mode,
    List<String> sites,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable List<String> counted,
    int replication,
    String acknowledgement,
    long deadlineMillis,
    int maxValueBytes,
    long tombstoneGraceMillis,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable Integer siblings,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable String encrypted,
    String guarantee,
    String survives,
    long configuration,
    long revision,
    Map<String, @Nullable String> stores,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable RedundancyReport redundancy,
    @JsonInclude(JsonInclude.Include.NON_NULL) @Nullable TermReport term) {

  static CacheReport of(StoredDefinition stored) {
    CacheDefinition cache = stored.definition();
    Map<String, @Nullable String> stores = new LinkedHashMap<>();
    cache.sites().forEach(site -> stores.put(site, stored.store(site).orElse(null)));
    return new CacheReport(
        cache.name(),
        lower(cache.mode()),
        cache.siteNames(),
        stored.roll().sites().containsAll(cache.sites()) ? null : stored.roll().sites(),
        cache.siteNames().size(),
        lower(cache.acknowledgement()),
        cache.deadline().toMillis(),
        cache.maxValueBytes(),
        cache.tombstoneGrace().toMillis(),
        cache.keepsSiblings() ? cache.siblings() : null,
        cache.privacy().isPrivate() ? lower(cache.privacy()) : null,
        cache.guarantee(),
        cache.mode().survives(),
        stored.configuration(),
        stored.revision(),
        stores,
        null,
        null);
  }

  CacheReport withTerm(TermReport present) {
    return with(redundancy, present);
  }

  CacheReport withRedundancy(RedundancyReport present) {
    return with(present, term);
  }

  private CacheReport with(
      @Nullable RedundancyReport presentRedundancy, @Nullable TermReport presentTerm) {
    return new CacheReport(
        name,
        mode,
        sites,
        counted,
        replication,
        acknowledgement,
        deadlineMillis,
        maxValueBytes,
        tombstoneGraceMillis,
        siblings,
        encrypted,
        guarantee,
        survives,
        configuration,
        revision,
        stores,
        presentRedundancy,
        presentTerm);
  }

  /** The replicas that count as down: they have no store of this cache. */
  List<String> without() {
    return stores.keySet().stream().filter(replica -> stores.get(replica) == null).toList();
  }

  private static String lower(Enum<?> choice) {
    return choice.name().toLowerCase(Locale.ROOT);
  }
}
