package io.ensemble.rest.resource;

import io.ensemble.rest.console.Console;
import io.ensemble.rest.events.Feed;
import io.ensemble.rest.http.Route;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** All endpoints, group by group: whoever adds a group names it here. */
public final class Resources {

  private Resources() {}

  /** Their routes; what they keep is closed with the federation. */
  public static List<Route> all(Federation federation, PrometheusMeterRegistry registry) {
    List<Route> routes = new ArrayList<>();
    Feed feed =
        federation.streaming(
            new Feed(
                new FederationState(federation, registry)::look, federation.limits().events()));
    SharedObjects objects = federation.closing(new SharedObjects(federation));
    Drains drains = new Drains(federation);
    Stream.of(
            new SitesResource(federation, drains).routes(),
            new CachesResource(federation).routes(),
            new CreationResource(federation).routes(),
            new EntriesResource(federation).routes(),
            new PagesResource(federation).routes(),
            new BulkResource(federation).routes(),
            new ExplainResource(federation).routes(),
            new TermsResource(federation).routes(),
            new OperationsResource(federation, drains).routes(),
            new CountersResource(federation, objects).routes(),
            new LocksResource(federation, objects).routes(),
            new VersionsResource(federation, objects).routes(),
            new LiveResource(federation, feed).routes(),
            new HealthResource(federation, registry).routes(),
            Console.routes())
        .forEach(routes::addAll);
    routes.addAll(new AboutResource(List.copyOf(routes)).routes());
    return List.copyOf(routes);
  }
}
