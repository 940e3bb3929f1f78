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

  private final RestContext context;

  public EntryListResource(RestContext context) {
    this.context = context;
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
            this::listPage));
  }

  private CompletionStage<RestResponse> listPage(AuthorizedRequest authorizedRequest) {
    RequestHead head = authorizedRequest.head();
    int limit = readLimit(head, USUAL_PAGE, context.limits().pageEntries());
    Optional<String> cursor = head.query("cursor");
    String prefix = head.query("prefix").orElse("");
    boolean withValues =
        switch (head.query("values").orElse("true")) {
          case "true" -> true;
          case "false" -> false;
          default -> throw Problem.invalid("values", "true or false", "another value");
        };
    String cache = authorizedRequest.path("cache");
    return context
        .workers()
        .reply(
            authorizedRequest,
            () ->
                context.callCacheBlocking(
                    cache,
                    open -> {
                      Cursor listing = Cursor.of(findCacheId(cache), prefix);
                      String afterKey = cursor.map(listing::decodeKey).orElse("");
                      EntryPage page = new EntryPage(limit, context.limits().pageBytes());
                      scan(open, withValues, afterKey, prefix, page);
                      return RestResponse.json(200, toDocument(page, withValues, listing));
                    }));
  }

  /** The birth of the cache. */
  private String findCacheId(String cache) {
    return context
        .manager()
        .stored(cache)
        .map(StoredDefinition::birth)
        .or(() -> context.manager().parts().find(cache).map(StoredDistribution::birth))
        .orElseThrow(() -> Problem.notFound("cache", cache));
  }

  /** The requested number of entries of a page. */
  public static int readLimit(RequestHead head, int defaultLimit, int maxLimit) {
    String text = head.query("limit").orElse(String.valueOf(defaultLimit));
    try {
      int limit = Integer.parseInt(text);
      if (limit >= 1 && limit <= maxLimit) {
        return limit;
      }
    } catch (NumberFormatException e) {
      // Reported below like a number out of bounds.
    }
    throw Problem.invalid("limit", "an integer from 1 to %d".formatted(maxLimit), text);
  }

  private static void scan(
      EnsembleCache<Object, Object> cache,
      boolean withValues,
      String afterKey,
      String prefix,
      EntryPage page) {
    long beginNanos = System.nanoTime();
    try (CloseableIterator<?> iterator =
        withValues ? cache.entrySet().iterator() : cache.keySet().iterator()) {
      while (iterator.hasNext()) {
        Object element = iterator.next();
        Object key = element instanceof Map.Entry<?, ?> entry ? entry.getKey() : element;
        Object value = element instanceof Map.Entry<?, ?> entry ? entry.getValue() : "";
        if (key instanceof String text
            && text.compareTo(afterKey) > 0
            && text.startsWith(prefix)
            && Representation.isUtf8(text)) {
          page.add(text, value, measure(text, withValues ? value : null));
        }
        if (System.nanoTime() - beginNanos > LONGEST_WALK_NANOS) {
          throw Problem.of(
              ProblemType.SCAN_TOO_LONG, "the scan of the cache did not end within 60 s");
        }
      }
    }
  }

  private static long measure(String key, @Nullable Object value) {
    long bytes = key.getBytes(StandardCharsets.UTF_8).length;
    return value == null ? bytes : bytes + Representation.ofListing(value).content().length;
  }

  private static Map<String, Object> toDocument(
      EntryPage page, boolean withValues, Cursor listing) {
    List<Object> entries = new ArrayList<>();
    page.entries()
        .forEach(
            (key, value) ->
                entries.add(withValues ? RestValueView.of(key, value) : Map.of("key", key)));
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("entries", entries);
    page.last().ifPresent(last -> document.put("cursor", listing.encodeAfter(last)));
    return document;
  }
}
