package io.ensemble.rest.resource.entry;

import io.ensemble.EnsembleCache;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.resource.context.RestContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.infinispan.commons.util.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * All entries of a cache, page by page, in the order of their keys. Every page iterates over the
 * whole cache and keeps the entries behind the cursor. So any process answers for any cursor, and a
 * key that exists throughout appears once. The cost is a full iteration for each page.
 */
public final class EntryListResource {

  private static final long LONGEST_WALK_NANOS = Duration.ofSeconds(60).toNanos();
  private static final int USUAL_PAGE = 100;

  private final RestContext federation;

  public EntryListResource(RestContext federation) {
    this.federation = federation;
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            "/caches/{cache}/entries",
            Role.READ,
            0,
            RouteDescription.of(
                    "listEntries",
                    "entries",
                    "Lists entries in the order of their keys. Not a snapshot. Omits keys that are "
                        + "not strings or cannot be encoded in UTF-8. Each page scans the cache.")
                .query("cursor", "string", "The cursor of the previous page.")
                .query("limit", "Limit", "The maximum number of entries; default: 100.")
                .query("prefix", "string", "Only keys with this prefix.")
                .query("values", "boolean", "Whether to return values; default: true.")
                .json(200, "A page; the last page has no cursor", "Page")
                .fails(ProblemType.SITES_UNAVAILABLE, ProblemType.SCAN_TOO_LONG),
            this::page));
  }

  private CompletionStage<RestResponse> page(AuthorizedRequest authorizedRequest) {
    RequestHead head = authorizedRequest.head();
    int limit = limit(head, USUAL_PAGE, federation.limits().pageEntries());
    Optional<String> cursor = head.query("cursor");
    String prefix = head.query("prefix").orElse("");
    boolean values =
        switch (head.query("values").orElse("true")) {
          case "true" -> true;
          case "false" -> false;
          default -> throw Problem.invalid("values", "true or false", "another value");
        };
    String cache = authorizedRequest.path("cache");
    return federation
        .workers()
        .reply(
            authorizedRequest,
            () ->
                federation.waitingOn(
                    cache,
                    open -> {
                      Cursor listing = Cursor.of(birth(cache), prefix);
                      String after = cursor.map(listing::key).orElse("");
                      EntryPage page = new EntryPage(limit, federation.limits().pageBytes());
                      walk(open, values, after, prefix, page);
                      return RestResponse.json(200, shown(page, values, listing));
                    }));
  }

  /** The birth of the cache. */
  private String birth(String cache) {
    return federation
        .manager()
        .stored(cache)
        .map(StoredDefinition::birth)
        .or(() -> federation.manager().parts().find(cache).map(StoredDistribution::birth))
        .orElseThrow(() -> Problem.notFound("cache", cache));
  }

  /** The requested number of entries of a page. */
  public static int limit(RequestHead head, int usual, int most) {
    String text = head.query("limit").orElse(String.valueOf(usual));
    try {
      int limit = Integer.parseInt(text);
      if (limit >= 1 && limit <= most) {
        return limit;
      }
    } catch (NumberFormatException e) {
      // Reported below like a number out of bounds.
    }
    throw Problem.invalid("limit", "an integer from 1 to %d".formatted(most), text);
  }

  private static void walk(
      EnsembleCache<Object, Object> cache,
      boolean values,
      String after,
      String prefix,
      EntryPage page) {
    long begin = System.nanoTime();
    try (CloseableIterator<?> all =
        values ? cache.entrySet().iterator() : cache.keySet().iterator()) {
      while (all.hasNext()) {
        Object met = all.next();
        Object key = met instanceof Map.Entry<?, ?> entry ? entry.getKey() : met;
        Object value = met instanceof Map.Entry<?, ?> entry ? entry.getValue() : "";
        if (key instanceof String text
            && text.compareTo(after) > 0
            && text.startsWith(prefix)
            && Representation.isUtf8(text)) {
          page.add(text, value, size(text, values ? value : null));
        }
        if (System.nanoTime() - begin > LONGEST_WALK_NANOS) {
          throw Problem.of(
              ProblemType.SCAN_TOO_LONG, "the scan of the cache did not end within 60 s");
        }
      }
    }
  }

  private static long size(String key, @Nullable Object value) {
    long bytes = key.getBytes(StandardCharsets.UTF_8).length;
    return value == null ? bytes : bytes + Representation.shown(value).content().length;
  }

  private static Map<String, Object> shown(EntryPage page, boolean values, Cursor listing) {
    List<Object> entries = new ArrayList<>();
    page.entries()
        .forEach(
            (key, value) ->
                entries.add(values ? RestValueView.of(key, value) : Map.of("key", key)));
    Map<String, Object> shown = new LinkedHashMap<>();
    shown.put("entries", entries);
    page.last().ifPresent(last -> shown.put("cursor", listing.after(last)));
    return shown;
  }
}
