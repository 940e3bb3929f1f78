package io.ensemble.catalog;

import io.ensemble.CacheDefinition;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A cache's definition as the catalog holds it.
 *
 * @param definition what the cache is
 * @param configuration the number of the set of sites; grows when that set changes
 * @param incarnations for each site that has one, the token of its store's present life: 8
 *     hexadecimal digits, never used twice. A site without one counts as down until recovered
 * @param revision grows by one with every change of this record; 1 at first
 */
public record StoredDefinition(
    CacheDefinition definition,
    long configuration,
    Map<String, String> incarnations,
    long revision) {

  private static final Pattern TOKEN = Pattern.compile("[0-9a-f]{8}");

  public StoredDefinition {
    incarnations = Collections.unmodifiableMap(new TreeMap<>(incarnations));
    if (configuration < 1 || revision < 1) {
      throw new IllegalArgumentException(
          "configurations and revisions count from 1; configuration=%d revision=%d"
              .formatted(configuration, revision));
    }
    incarnations.forEach(
        (site, token) -> {
          if (!definition.sites().contains(site) || !TOKEN.matcher(token).matches()) {
            throw new IllegalArgumentException(
                "an incarnation is 8 hexadecimal digits for a site of the cache; site=%s token=%s"
                    .formatted(site, token));
          }
        });
  }

  /** The first record of a cache. */
  public static StoredDefinition first(CacheDefinition definition, Map<String, String> tokens) {
    return new StoredDefinition(definition, 1, tokens, 1);
  }

  /** The name of the cache's backing store at {@code site}; empty when it has none. */
  public Optional<String> store(String site) {
    return Optional.ofNullable(incarnations.get(site)).map(this::storeName);
  }

  /** The name that a store of this configuration has in the life {@code token}. */
  public String storeName(String token) {
    return definition.name() + "." + configuration + "." + token;
  }

  /** The next revision, with another life at {@code site}. */
  public StoredDefinition withIncarnation(String site, String token) {
    Map<String, String> changed = new HashMap<>(incarnations);
    changed.put(site, token);
    return new StoredDefinition(definition, configuration, changed, revision + 1);
  }
}
