package io.ensemble.rest.resource;

import io.ensemble.rest.console.Console;
import io.ensemble.rest.events.CacheStreams;
import io.ensemble.rest.events.EventStream;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.resource.cache.CacheCreationResource;
import io.ensemble.rest.resource.cache.CachesResource;
import io.ensemble.rest.resource.cache.ExplainResource;
import io.ensemble.rest.resource.cache.HeatResource;
import io.ensemble.rest.resource.cache.TermsResource;
import io.ensemble.rest.resource.context.ListingStreams;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.resource.entry.BulkResource;
import io.ensemble.rest.resource.entry.ChangesResource;
import io.ensemble.rest.resource.entry.ClearResource;
import io.ensemble.rest.resource.entry.EntriesResource;
import io.ensemble.rest.resource.entry.EntryListResource;
import io.ensemble.rest.resource.federation.FederationObserver;
import io.ensemble.rest.resource.federation.FederationResource;
import io.ensemble.rest.resource.federation.SitesResource;
import io.ensemble.rest.resource.object.CountersResource;
import io.ensemble.rest.resource.object.LocksResource;
import io.ensemble.rest.resource.object.ObjectFactoryCache;
import io.ensemble.rest.resource.object.ObjectListResource;
import io.ensemble.rest.resource.object.TreesResource;
import io.ensemble.rest.resource.object.VersionsResource;
import io.ensemble.rest.resource.operation.DrainService;
import io.ensemble.rest.resource.operation.OperationsResource;
import io.ensemble.rest.resource.operation.ServiceOperations;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** All endpoints, group by group. A new group must be added here. */
public final class ResourceRoutes {

  private ResourceRoutes() {}

  /** The routes of all groups; their resources are closed with the context. */
  public static List<RestRoute> createAll(RestContext context, PrometheusMeterRegistry registry) {
    List<RestRoute> routes = new ArrayList<>();
    ServiceOperations serviceOperations = new ServiceOperations(context.workers());
    EventStream eventStream =
        context.registerStream(
            new EventStream(
                new FederationObserver(context, serviceOperations, registry)::takeSnapshot,
                context.limits().events()));
    CacheStreams cacheStreams =
        context.registerStream(new CacheStreams(CacheStreams.Bounds.DEFAULT));
    ObjectFactoryCache objects = context.registerResource(new ObjectFactoryCache(context));
    DrainService drainService = new DrainService(context);
    ListingStreams listings = new ListingStreams(context.workers(), context.limits());
    Stream.of(
            new SitesResource(context, drainService, serviceOperations).routes(),
            new CachesResource(context).routes(),
            new CacheCreationResource(context).routes(),
            new EntriesResource(context).routes(),
            new EntryListResource(context, listings).routes(),
            new ChangesResource(context, cacheStreams).routes(),
            new BulkResource(context).routes(),
            new ClearResource(context, serviceOperations).routes(),
            new ExplainResource(context).routes(),
            new TermsResource(context).routes(),
            new HeatResource(context).routes(),
            new OperationsResource(context, drainService, serviceOperations).routes(),
            new ObjectListResource(objects, listings).routes(),
            new CountersResource(context, objects).routes(),
            new LocksResource(context, objects).routes(),
            new VersionsResource(context, objects).routes(),
            new TreesResource(context, objects).routes(),
            new FederationResource(context, eventStream).routes(),
            new HealthResource(context, registry).routes(),
            Console.routes())
        .forEach(routes::addAll);
    routes.addAll(new AboutResource(List.copyOf(routes)).routes());
    return List.copyOf(routes);
  }
}
