package io.ensemble.rest.resource.object;

import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.resource.context.ListingStreams;
import io.ensemble.rest.resource.entry.EntryListResource;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * The atomic objects of an MWMR cache with their types, in one response: {@link
 * io.ensemble.objects.AtomicObjectFactory#list}, as fast as its client reads.
 */
public final class ObjectListResource {

  private final ObjectFactoryCache objects;
  private final ListingStreams listings;

  public ObjectListResource(ObjectFactoryCache objects, ListingStreams listings) {
    this.objects = objects;
    this.listings = listings;
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            "/caches/{cache}/objects",
            Role.READ,
            0,
            RouteDescription.of(
                    "listObjects",
                    "objects",
                    "Lists atomic objects with their types, in no order, by one iteration over the "
                        + "cache and a read for each name. Not a snapshot: an object may be listed "
                        + "more than once. The connection is closed within the response if the "
                        + "iteration fails.")
                .query(
                    "limit", "ListingLimit", "The maximum number of objects; default: unlimited.")
                .query("prefix", "string", "Only names with this prefix.")
                .json(200, "The objects; 'more' if 'limit' ended the listing", "ObjectListing")
                .fails(
                    ProblemType.CONFLICT,
                    ProblemType.SITES_UNAVAILABLE,
                    ProblemType.UNKNOWN_OUTCOME),
            this::list));
  }

  private CompletionStage<RestResponse> list(AuthorizedRequest authorizedRequest) {
    RequestHead head = authorizedRequest.head();
    int maxObjects = EntryListResource.readLimit(head, Integer.MAX_VALUE, Integer.MAX_VALUE);
    String prefix = head.query("prefix").orElse("");
    return objects.call(
        authorizedRequest.path("cache"),
        true,
        cacheObjects ->
            listings.stream(
                authorizedRequest,
                begin -> begin.apply(new ObjectParts(cacheObjects, prefix, maxObjects))));
  }
}
