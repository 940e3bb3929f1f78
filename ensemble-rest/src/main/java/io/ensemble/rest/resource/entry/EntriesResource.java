package io.ensemble.rest.resource.entry;

import io.ensemble.AsyncEnsembleCache;
import io.ensemble.EnsembleCache;
import io.ensemble.WriteOutcome;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Precondition;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.resource.context.IdempotencyKey;
import io.ensemble.rest.resource.context.ResourceLinks;
import io.ensemble.rest.resource.context.RestContext;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Single entries: values of any media type, stored and returned unchanged. Never blocks. */
public final class EntriesResource {

  static final String PATH = "/caches/{cache}/entries/{key}";

  private static final String TAG = "entries";

  /** The longest lifespan of an entry, in seconds: 100 years. */
  static final long LONGEST_TTL_SECONDS = 100L * 365 * 24 * 3600;

  private static final ProblemType[] OF_WRITES = {
    ProblemType.SITES_UNAVAILABLE,
    ProblemType.WRITER_PRESENT,
    ProblemType.PRECONDITION_FAILED,
    ProblemType.IDEMPOTENCY_UNSUPPORTED,
    ProblemType.UNKNOWN_OUTCOME
  };

  /**
   * The advice instead of an Idempotency-Key: an entry cannot store the keys of requests, and a
   * separate record would not be written atomically with the entry.
   */
  private static final String INSTEAD =
      "use a condition (If-Match, If-None-Match), a version chosen by the client, or a counter";

  private final RestContext context;

  public EntriesResource(RestContext context) {
    this.context = context;
  }

  public List<RestRoute> routes() {
    int maxBytes = context.limits().valueBytes();
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            PATH,
            Role.READ,
            0,
            describe("getEntry", "Returns the value of a key.")
                .header("If-None-Match", "Tags", "Answers 304 if the ETag of the value is listed.")
                .gives("ETag", "A digest of media type and bytes.")
                .bytes(200, "The value, with its ETag", "*/*")
                .empty(304, "The ETag of the value is listed")
                .fails(
                    ProblemType.SITES_UNAVAILABLE,
                    ProblemType.NOT_ACCEPTABLE,
                    ProblemType.PRECONDITION_FAILED),
            this::get),
        new RestRoute(
            HttpMethod.PUT,
            PATH,
            Role.WRITE,
            maxBytes,
            describe("putEntry", "Writes the value of a key.")
                .query(
                    "ttl", "Seconds", "The lifespan of the entry in seconds; unlimited if absent.")
                .header(
                    "If-Match",
                    "Tags",
                    "Writes only if the ETag of the entry is listed; * for any entry.")
                .header(
                    "If-None-Match",
                    "Tags",
                    "Writes only if the ETag of the entry is not listed; * for an absent entry.")
                .takes("*/*", "")
                .gives("ETag", "A digest of media type and bytes.")
                .gives("Location", "The address of the entry.")
                .gives("Ensemble-Outcome", "applied or superseded.")
                .gives(
                    "Ensemble-Stamp", "The stamp of the write, or of the write that superseded it.")
                .empty(201, "A conditional request created the entry")
                .empty(204, "The entry was written, or superseded (WEAK); see Ensemble-Outcome")
                .fails(OF_WRITES),
            this::put),
        new RestRoute(
            HttpMethod.POST,
            PATH,
            Role.WRITE,
            maxBytes,
            describe("createEntry", "Writes the value of a key if the key is absent.")
                .query(
                    "ttl", "Seconds", "The lifespan of the entry in seconds; unlimited if absent.")
                .takes("*/*", "")
                .gives("ETag", "A digest of media type and bytes.")
                .gives("Location", "The address of the entry.")
                .gives("Ensemble-Outcome", "applied or superseded.")
                .gives(
                    "Ensemble-Stamp", "The stamp of the write, or of the write that superseded it.")
                .empty(201, "Written")
                .empty(204, "The write was superseded (WEAK)")
                .fails(OF_WRITES),
            this::create),
        new RestRoute(
            HttpMethod.DELETE,
            PATH,
            Role.WRITE,
            0,
            describe("removeEntry", "Removes a key. Succeeds also if the key is absent.")
                .header(
                    "If-Match",
                    "Tags",
                    "Removes only if the ETag of the entry is listed; * for any entry.")
                .gives("Ensemble-Outcome", "applied or superseded.")
                .gives(
                    "Ensemble-Stamp", "The stamp of the write, or of the write that superseded it.")
                .empty(
                    204,
                    "The entry is absent, or the removal was superseded (WEAK); see "
                        + "Ensemble-Outcome")
                .fails(OF_WRITES),
            this::remove));
  }

  private static RouteDescription describe(String id, String summary) {
    return RouteDescription.of(id, TAG, summary);
  }

  /** The validated key of a request. */
  public static String readKey(AuthorizedRequest authorizedRequest, int maxBytes) {
    return checkKey("key", authorizedRequest.path("key"), maxBytes);
  }

  /** The validated key in a field. */
  static String checkKey(String field, String key, int maxBytes) {
    int bytes = key.getBytes(StandardCharsets.UTF_8).length;
    if (key.isEmpty() || bytes > maxBytes) {
      throw Problem.invalid(field, "1 to %d bytes of UTF-8".formatted(maxBytes), bytes + " bytes");
    }
    return key;
  }

  private <T> CompletionStage<T> callCache(
      AuthorizedRequest authorizedRequest,
      Function<EnsembleCache<Object, Object>, CompletionStage<T>> call) {
    return context.callCache(authorizedRequest.path("cache"), call);
  }

  private CompletionStage<RestResponse> get(AuthorizedRequest authorizedRequest) {
    String key = readKey(authorizedRequest, context.limits().keyBytes());
    Precondition precondition = Precondition.of(authorizedRequest.head());
    return callCache(authorizedRequest, cache -> cache.async().get(key))
        .thenApply(
            stored -> {
              if (stored.isEmpty()) {
                throw Problem.notFound("entry", key);
              }
              Representation value = Representation.of(stored.get());
              String etag = value.etag();
              if (precondition.isNotModified(etag)) {
                return RestResponse.of(304).with("ETag", etag);
              }
              precondition.check(etag);
              return value.reply();
            });
  }

  private CompletionStage<RestResponse> put(AuthorizedRequest authorizedRequest) {
    return write(authorizedRequest, Precondition.of(authorizedRequest.head()));
  }

  private CompletionStage<RestResponse> create(AuthorizedRequest authorizedRequest) {
    if (!Precondition.of(authorizedRequest.head()).isEmpty()) {
      throw Problem.invalid("If-Match", "no precondition: POST implies one", "one");
    }
    return write(authorizedRequest, Precondition.ABSENT);
  }

  private CompletionStage<RestResponse> write(
      AuthorizedRequest authorizedRequest, Precondition precondition) {
    IdempotencyKey.refuse(authorizedRequest, INSTEAD);
    String key = readKey(authorizedRequest, context.limits().keyBytes());
    Duration ttl = ttl(authorizedRequest.head());
    Representation value =
        Representation.of(
            authorizedRequest.head().header("Content-Type").orElse(Representation.BYTES),
            authorizedRequest.body());
    Object storedValue = value.value();
    AtomicBoolean wasAbsent = new AtomicBoolean();
    return callCache(
            authorizedRequest,
            cache -> {
              ReservedKeys.refuse(cache, key);
              checkSize(cache, value);
              return writeEntry(cache.async(), key, storedValue, ttl, precondition, wasAbsent);
            })
        .thenApply(
            outcome -> {
              RestResponse success =
                  wasAbsent.get()
                      ? RestResponse.of(201)
                          .with(
                              "Location", ResourceLinks.entry(authorizedRequest.path("cache"), key))
                      : RestResponse.noContent();
              return WriteResponses.of(
                  outcome, success.with("ETag", value.etag()), precondition.isEmpty());
            });
  }

  private static void checkSize(EnsembleCache<Object, Object> cache, Representation value) {
    int maxBytes = cache.definition().maxValueBytes();
    if (value.encodedBytes() > maxBytes) {
      throw Problem.of(
          ProblemType.TOO_LARGE,
          "a value of this cache must have at most %d bytes, encoded; got %d"
              .formatted(maxBytes, value.encodedBytes()));
    }
  }

  /**
   * Writes an entry. The cache's own operation checks the precondition, with the atomicity that the
   * mode guarantees.
   *
   * @param wasAbsent set to whether the check found no entry; not set without a precondition,
   *     because an unconditional write does not read the entry
   */
  private static CompletionStage<WriteOutcome<Object>> writeEntry(
      AsyncEnsembleCache<Object, Object> cache,
      String key,
      @Nullable Object value,
      Duration ttl,
      Precondition precondition,
      AtomicBoolean wasAbsent) {
    if (precondition.isEmpty()) {
      return value == null ? cache.remove(key) : cache.put(key, value, ttl);
    }
    return cache.compute(
        key,
        (k, current) -> {
          precondition.check(current == null ? null : Representation.of(current).etag());
          wasAbsent.set(current == null); // The last call decides.
          return value;
        },
        ttl);
  }

  private CompletionStage<RestResponse> remove(AuthorizedRequest authorizedRequest) {
    IdempotencyKey.refuse(authorizedRequest, INSTEAD);
    String key = readKey(authorizedRequest, context.limits().keyBytes());
    Precondition precondition = Precondition.of(authorizedRequest.head());
    return callCache(
            authorizedRequest,
            cache -> {
              ReservedKeys.refuse(cache, key);
              return writeEntry(
                  cache.async(), key, null, Duration.ZERO, precondition, new AtomicBoolean());
            })
        .thenApply(
            outcome ->
                WriteResponses.of(outcome, RestResponse.noContent(), precondition.isEmpty()));
  }

  /** The time to live of an entry; zero means no expiry. */
  private static Duration ttl(RequestHead head) {
    return head.query("ttl")
        .map(
            text -> {
              try {
                long seconds = Long.parseLong(text);
                if (seconds >= 1 && seconds <= LONGEST_TTL_SECONDS) {
                  return Duration.ofSeconds(seconds);
                }
              } catch (NumberFormatException e) {
                // Reported below like a number out of bounds.
              }
              throw Problem.invalid(
                  "ttl",
                  "an integer from 1 to %d, in seconds".formatted(LONGEST_TTL_SECONDS),
                  text);
            })
        .orElse(Duration.ZERO);
  }
}
