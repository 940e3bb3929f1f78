package io.ensemble.rest.resource;

import io.ensemble.rest.console.Console;
import io.ensemble.rest.events.EventStream;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.resource.cache.CacheCreationResource;
import io.ensemble.rest.resource.cache.CachesResource;
import io.ensemble.rest.resource.cache.ExplainResource;
import io.ensemble.rest.resource.cache.TermsResource;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.resource.entry.BulkResource;
import io.ensemble.rest.resource.entry.EntriesResource;
import io.ensemble.rest.resource.entry.EntryListResource;
import io.ensemble.rest.resource.federation.FederationObserver;
import io.ensemble.rest.resource.federation.FederationResource;
import io.ensemble.rest.resource.federation.SitesResource;
import io.ensemble.rest.resource.object.CountersResource;
import io.ensemble.rest.resource.object.LocksResource;
import io.ensemble.rest.resource.object.ObjectFactoryCache;
import io.ensemble.rest.resource.object.VersionsResource;
import io.ensemble.rest.resource.operation.DrainService;
import io.ensemble.rest.resource.operation.OperationsResource;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** All endpoints, group by group. A new group must be added here. */
public final class ResourceRoutes {

  private ResourceRoutes() {}

  /** The routes of all groups; their resources are closed with the context. */
  public static List<RestRoute> all(RestContext federation, PrometheusMeterRegistry registry) {
    List<RestRoute> routes = new ArrayList<>();
    EventStream feed =
        federation.streaming(
            new EventStream(
                new FederationObserver(federation, registry)::look, federation.limits().events()));
    ObjectFactoryCache objects = federation.closing(new ObjectFactoryCache(federation));
    DrainService drains = new DrainService(federation);
    Stream.of(
            new SitesResource(federation, drains).routes(),
            new CachesResource(federation).routes(),
            new CacheCreationResource(federation).routes(),
            new EntriesResource(federation).routes(),
            new EntryListResource(federation).routes(),
            new BulkResource(federation).routes(),
            new ExplainResource(federation).routes(),
            new TermsResource(federation).routes(),
            new OperationsResource(federation, drains).routes(),
            new CountersResource(federation, objects).routes(),
            new LocksResource(federation, objects).routes(),
            new VersionsResource(federation, objects).routes(),
            new FederationResource(federation, feed).routes(),
            new HealthResource(federation, registry).routes(),
            Console.routes())
        .forEach(routes::addAll);
    routes.addAll(new AboutResource(List.copyOf(routes)).routes());
    return List.copyOf(routes);
  }
}
