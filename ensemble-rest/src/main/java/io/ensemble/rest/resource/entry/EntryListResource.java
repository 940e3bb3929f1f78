package io.ensemble.rest.resource.entry;

import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.resource.context.ListingStreams;
import io.ensemble.rest.resource.context.RestContext;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The entries of a cache, in one response. A listing iterates over the cache once, batch by batch,
 * as fast as its client reads, and keeps nothing of what was sent. So listing n entries reads each
 * of them once at each site that the iteration needs, however many there are.
 */
public final class EntryListResource {

  private final RestContext context;
  private final ListingStreams listings;

  public EntryListResource(RestContext context, ListingStreams listings) {
    this.context = context;
    this.listings = listings;
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
                    "Lists entries, in no order, by one iteration over the cache. Not a snapshot. "
                        + "Omits keys that are not strings or cannot be encoded in UTF-8. The "
                        + "connection is closed within the response if the iteration fails.")
                .query(
                    "limit", "ListingLimit", "The maximum number of entries; default: unlimited.")
                .query("prefix", "string", "Only keys with this prefix.")
                .query("values", "boolean", "Whether to return values; default: true.")
                .json(200, "The entries; 'more' if 'limit' ended the listing", "Listing")
                .fails(ProblemType.SITES_UNAVAILABLE),
            this::list));
  }

  private CompletionStage<RestResponse> list(AuthorizedRequest authorizedRequest) {
    RequestHead head = authorizedRequest.head();
    int maxEntries = readLimit(head, Integer.MAX_VALUE, Integer.MAX_VALUE);
    String prefix = head.query("prefix").orElse("");
    boolean withValues = hasValues(head);
    String cache = authorizedRequest.path("cache");
    return listings.stream(
        authorizedRequest,
        begin ->
            context.callCacheBlocking(
                cache, open -> begin.apply(new EntryParts(open, prefix, withValues, maxEntries))));
  }

  /** Whether values are requested; they are by default. */
  static boolean hasValues(RequestHead head) {
    return switch (head.query("values").orElse("true")) {
      case "true" -> true;
      case "false" -> false;
      default -> throw Problem.invalid("values", "true or false", "another value");
    };
  }

  /** The requested number of entries. */
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
}
