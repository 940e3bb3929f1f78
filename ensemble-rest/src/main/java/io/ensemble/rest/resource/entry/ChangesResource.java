package io.ensemble.rest.resource.entry;

import io.ensemble.ChangeEvent;
import io.ensemble.ChangeEvent.Change;
import io.ensemble.ChangeEvent.Gap;
import io.ensemble.ChangeStamp;
import io.ensemble.ChangeStream;
import io.ensemble.DistributedEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.ListenOptions;
import io.ensemble.rest.events.CacheStreams;
import io.ensemble.rest.events.CacheStreams.Message;
import io.ensemble.rest.events.StreamSubscriber;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.http.StreamingBody;
import io.ensemble.rest.resource.context.RestContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/**
 * The changes of a cache as server-sent events. A position is sent as the id of an event, and comes
 * back in a header. So it lists fewer changes than in Java.
 */
public final class ChangesResource {

  /** How many keys a stream may follow. */
  private static final int MAX_KEYS = 100_000;

  private static final int MAX_EVENTS = 1_000;
  private static final long MAX_WAITING_BYTES = 4L << 20;

  /** The longest position has 7,600 characters. */
  private static final int MAX_LISTED = 350;

  /** Each part of a distributed cache has a position of 71 characters and more. */
  private static final int MAX_PARTS = 64;

  private final RestContext context;
  private final CacheStreams streams;

  public ChangesResource(RestContext context, CacheStreams streams) {
    this.context = context;
    this.streams = streams;
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            "/caches/{cache}/events",
            Role.LISTEN,
            0,
            RouteDescription.of(
                    "listenToCache",
                    "entries",
                    "Streams the changes of a cache as server-sent events: each write at most once, "
                        + "in the order of its key. An event 'gap' says where changes may be "
                        + "missing. Omits keys that are not strings or cannot be "
                        + "encoded in UTF-8.")
                .query("key", "string", "Only this key; default: all keys, 100,000 at most.")
                .query("prefix", "string", "Only keys that begin with this text; excludes key.")
                .query("values", "boolean", "false: changes without values; default: true.")
                .header(
                    "Last-Event-ID",
                    "StreamPosition",
                    "The position to resume from; default: begin with the next change.")
                .bytes(
                    200,
                    "Events, until the client or the service ends the stream",
                    "text/event-stream"),
            this::listen));
  }

  private CompletionStage<RestResponse> listen(AuthorizedRequest authorizedRequest) {
    String name = authorizedRequest.path("cache");
    RequestHead head = authorizedRequest.head();
    ListenOptions<Object> options = options(head);
    RestCaller caller = authorizedRequest.caller();
    StreamSubscriber subscriber =
        new StreamSubscriber(
            caller.name(),
            () ->
                caller
                    .currentPermissions()
                    .get()
                    .thenApply(permissions -> permissions.hasRoleInCache(Role.LISTEN, name)));
    streams.enter(caller.name());
    CompletionStage<StreamingBody> opened;
    try {
      opened =
          context
              .workers()
              .waitFor(
                  authorizedRequest,
                  () -> streams.body(subscriber, open(name, options), ChangesResource::message));
    } catch (RuntimeException busy) {
      opened = CompletableFuture.failedFuture(busy);
    }
    return opened.handle(
        (body, failure) -> {
          if (failure != null) {
            streams.leave(caller.name());
            throw new CompletionException(failure);
          }
          return RestResponse.ofStream(200, "text/event-stream", body)
              .with("Cache-Control", "no-store")
              .with("X-Accel-Buffering", "no");
        });
  }

  private ListenOptions<Object> options(RequestHead head) {
    Optional<String> key =
        head.query("key")
            .map(text -> EntriesResource.checkKey("key", text, context.limits().keyBytes()));
    Optional<String> prefix =
        head.query("prefix")
            .map(text -> EntriesResource.checkKey("prefix", text, context.limits().keyBytes()));
    if (key.isPresent() && prefix.isPresent()) {
      throw Problem.invalid("prefix", "no prefix beside a key", prefix.get());
    }
    ListenOptions<Object> selected =
        key.<ListenOptions<Object>>map(one -> ListenOptions.ofKeys(Set.of(one)))
            .or(() -> prefix.map(ListenOptions::ofPrefix))
            .orElseGet(ListenOptions::all);
    ListenOptions<Object> bounded =
        (EntryListResource.hasValues(head) ? selected : selected.withoutValues())
            .withMaxKeys(MAX_KEYS)
            .withBuffer(MAX_EVENTS, MAX_WAITING_BYTES)
            .withPositionsOf(MAX_LISTED);
    return head.header("Last-Event-ID")
        .filter(text -> !text.isBlank())
        .map(bounded::from)
        .orElse(bounded);
  }

  /** Opens a stream; blocks until it is complete. */
  private ChangeStream<Object, Object> open(String name, ListenOptions<Object> options) {
    return context.callCacheBlocking(name, cache -> open(cache, options));
  }

  private static ChangeStream<Object, Object> open(
      EnsembleCache<Object, Object> cache, ListenOptions<Object> options) {
    if (cache instanceof DistributedEnsembleCache<Object, Object> distributed
        && distributed.distribution().parts().size() > MAX_PARTS) {
      throw new UnsupportedOperationException(
          "the position of a stream of so many parts exceeds what a header may hold; at most "
              + MAX_PARTS);
    }
    try {
      return cache.listen(options);
    } catch (IllegalArgumentException malformed) {
      throw Problem.invalid(
          "Last-Event-ID",
          "a position of a stream of this cache, with the same key or prefix",
          options.from().orElse("no position"));
    }
  }

  private static Optional<Message> message(ChangeEvent<Object, Object> event) {
    if (event instanceof Gap<Object, Object> gap) {
      return message(gap);
    }
    Change<Object, Object> change = (Change<Object, Object>) event;
    if (!(change.key() instanceof String key) || !Representation.isUtf8(key)) {
      return Optional.empty();
    }
    Object value = change.value();
    Map<String, Object> data = new LinkedHashMap<>();
    if (value == null) {
      data.put("key", key);
    } else {
      data.putAll(RestValueView.of(key, value));
    }
    data.put("stamp", change.stamp().stamp().toString());
    data.put("configuration", change.stamp().configuration());
    return Optional.of(new Message(word(change.kind()), data));
  }

  private static Optional<Message> message(Gap<Object, Object> gap) {
    Map<String, Object> data = new LinkedHashMap<>();
    data.put("reason", word(gap.reason()));
    if (gap.key().isPresent()) {
      if (!(gap.key().get() instanceof String key) || !Representation.isUtf8(key)) {
        return Optional.empty();
      }
      data.put("key", key);
    }
    data.put("after", document(gap.after()));
    data.put("before", document(gap.before()));
    gap.missed().ifPresent(number -> data.put("missed", number));
    return Optional.of(new Message("gap", data));
  }

  private static Map<String, Object> document(ChangeStamp stamp) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("stamp", stamp.stamp().toString());
    document.put("configuration", stamp.configuration());
    return document;
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }
}
