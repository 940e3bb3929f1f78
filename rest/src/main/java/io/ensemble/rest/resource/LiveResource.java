package io.ensemble.rest.resource;

import io.ensemble.rest.events.Feed;
import io.ensemble.rest.events.Section;
import io.ensemble.rest.events.Who;
import io.ensemble.rest.http.Call;
import io.ensemble.rest.http.Caller;
import io.ensemble.rest.http.Described;
import io.ensemble.rest.http.Method;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.Reply;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.Route;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The whole federation as this process sees it, at once and as it changes. */
final class LiveResource {

  private static final String TAG = "federation";
  private static final int LONGEST_POSITION = 64;

  private final Federation federation;
  private final Feed feed;

  LiveResource(Federation federation, Feed feed) {
    this.federation = federation;
    this.feed = feed;
  }

  List<Route> routes() {
    return List.of(
        new Route(
            Method.GET,
            "/federation",
            Role.READ,
            0,
            Described.of(
                    "inspectFederation",
                    TAG,
                    "Sites, caches, operations and terms, and what this process thinks and measures"
                        + " of them.")
                .json(200, "All of it", "Federation"),
            call -> federation.workers().reply(call, () -> Reply.json(200, feed.look()))),
        new Route(
            Method.GET,
            "/events",
            Role.LISTEN,
            0,
            Described.of(
                    "listen",
                    TAG,
                    "The same as it changes: server-sent events, first the whole state, then each"
                        + " thing that came, changed or went.")
                .query("kinds", "Kinds", "Only these sections, with commas between.")
                .header(
                    "Last-Event-ID", "Position", "Where to go on; if that is not known, from anew.")
                .bytes(200, "Events, until the client or the service ends", "text/event-stream"),
            this::listen));
  }

  private CompletionStage<Reply> listen(Call call) {
    Set<Section> wanted = kinds(call.head().query("kinds"));
    Optional<String> last = call.head().header("Last-Event-ID").filter(text -> !text.isBlank());
    last.filter(text -> text.length() > LONGEST_POSITION)
        .ifPresent(
            text -> {
              throw Problem.invalid("Last-Event-ID", "the id of an event", text);
            });
    Caller caller = call.caller();
    Who who =
        new Who(
            caller.name(),
            () -> caller.now().get().thenApply(now -> now.ofFederation(Role.LISTEN)));
    feed.check(who);
    return CompletableFuture.completedFuture(
        Reply.flowing(200, "text/event-stream", feed.listen(who, wanted, last))
            .with("Cache-Control", "no-store")
            .with("X-Accel-Buffering", "no"));
  }

  private static Set<Section> kinds(Optional<String> text) {
    if (text.isEmpty()) {
      return EnumSet.allOf(Section.class);
    }
    Set<Section> wanted = EnumSet.noneOf(Section.class);
    for (String word : text.get().split(",", Section.values().length + 1)) {
      wanted.add(
          Section.of(word)
              .orElseThrow(
                  () ->
                      Problem.invalid(
                          "kinds",
                          Stream.of(Section.values())
                              .map(Section::word)
                              .collect(Collectors.joining(", ", "some of ", "")),
                          word)));
    }
    return wanted;
  }
}
