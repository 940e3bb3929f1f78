package io.ensemble.rest.resource.federation;

import io.ensemble.rest.events.EventStream;
import io.ensemble.rest.events.SnapshotSection;
import io.ensemble.rest.events.StreamSubscriber;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.resource.context.RestContext;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The state of the whole federation as this process sees it, once and as a stream of changes. */
public final class FederationResource {

  private static final String TAG = "federation";
  private static final int LONGEST_POSITION = 64;

  private final RestContext context;
  private final EventStream eventStream;

  public FederationResource(RestContext context, EventStream eventStream) {
    this.context = context;
    this.eventStream = eventStream;
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            "/federation",
            Role.READ,
            0,
            RouteDescription.of(
                    "inspectFederation",
                    TAG,
                    "Returns sites, caches, operations and terms, and the measurements of this "
                        + "process.")
                .json(200, "The state of all sections", "Federation"),
            authorizedRequest ->
                context
                    .workers()
                    .reply(
                        authorizedRequest,
                        () -> RestResponse.json(200, eventStream.takeSnapshot()))),
        new RestRoute(
            HttpMethod.GET,
            "/events",
            Role.LISTEN,
            0,
            RouteDescription.of(
                    "listen",
                    TAG,
                    "Streams changes of the state as server-sent events: first the whole state, "
                        + "then each addition, change and removal.")
                .query("kinds", "Kinds", "Only these sections, separated by commas.")
                .header(
                    "Last-Event-ID",
                    "Position",
                    "The position to resume from; an unknown position "
                        + "starts with the whole state.")
                .bytes(
                    200,
                    "Events, until the client or the service ends the stream",
                    "text/event-stream"),
            this::listen));
  }

  private CompletionStage<RestResponse> listen(AuthorizedRequest authorizedRequest) {
    Set<SnapshotSection> sections = readSections(authorizedRequest.head().query("kinds"));
    Optional<String> lastPosition =
        authorizedRequest.head().header("Last-Event-ID").filter(text -> !text.isBlank());
    lastPosition
        .filter(text -> text.length() > LONGEST_POSITION)
        .ifPresent(
            text -> {
              throw Problem.invalid("Last-Event-ID", "the id of an event", text);
            });
    RestCaller caller = authorizedRequest.caller();
    StreamSubscriber subscriber =
        new StreamSubscriber(
            caller.name(),
            () ->
                caller
                    .currentPermissions()
                    .get()
                    .thenApply(permissions -> permissions.hasRoleInFederation(Role.LISTEN)));
    eventStream.check(subscriber);
    return CompletableFuture.completedFuture(
        RestResponse.ofStream(
                200, "text/event-stream", eventStream.listen(subscriber, sections, lastPosition))
            .with("Cache-Control", "no-store")
            .with("X-Accel-Buffering", "no"));
  }

  private static Set<SnapshotSection> readSections(Optional<String> text) {
    if (text.isEmpty()) {
      return EnumSet.allOf(SnapshotSection.class);
    }
    Set<SnapshotSection> sections = EnumSet.noneOf(SnapshotSection.class);
    for (String word : text.get().split(",", SnapshotSection.values().length + 1)) {
      sections.add(
          SnapshotSection.of(word)
              .orElseThrow(
                  () ->
                      Problem.invalid(
                          "kinds",
                          Stream.of(SnapshotSection.values())
                              .map(SnapshotSection::word)
                              .collect(Collectors.joining(", ", "some of ", "")),
                          word)));
    }
    return sections;
  }
}
