package io.ensemble.rest.resource.entry;

import io.ensemble.CacheDeletedException;
import io.ensemble.EnsembleCache;
import io.ensemble.WriteOutcome;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.rest.resource.context.IdempotencyKey;
import io.ensemble.rest.resource.context.RestContext;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Several entries in one request. Each entry is read or written by itself, several at a time. */
public final class BulkResource {

  private static final String TAG = "entries";
  private static final int AT_ONCE = 64;

  private final RestContext context;

  public BulkResource(RestContext context) {
    this.context = context;
  }

  public List<RestRoute> routes() {
    int maxBodyBytes = context.limits().pageBytes();
    return List.of(
        new RestRoute(
            HttpMethod.POST,
            "/caches/{cache}/bulk/get",
            Role.READ,
            maxBodyBytes,
            RouteDescription.of(
                    "getEntries", TAG, "Returns the values of several keys. Not a snapshot.")
                .takes("application/json", "KeysRequest")
                .json(200, "Found values, absent keys, and keys whose values did not fit", "Got")
                .fails(ProblemType.SITES_UNAVAILABLE, ProblemType.UNSUPPORTED_TYPE),
            this::get),
        new RestRoute(
            HttpMethod.POST,
            "/caches/{cache}/bulk/put",
            Role.WRITE,
            maxBodyBytes,
            RouteDescription.of("putEntries", TAG, "Writes several entries. Not atomic.")
                .takes("application/json", "EntriesRequest")
                .json(200, "The outcome of each write", "Put")
                .fails(ProblemType.IDEMPOTENCY_UNSUPPORTED, ProblemType.UNSUPPORTED_TYPE),
            this::put),
        new RestRoute(
            HttpMethod.POST,
            "/caches/{cache}/bulk/remove",
            Role.WRITE,
            maxBodyBytes,
            RouteDescription.of(
                    "removeEntries",
                    TAG,
                    "Removes several entries. Not atomic. Succeeds also for an absent key.")
                .takes("application/json", "KeysRequest")
                .json(200, "The outcome of each removal", "Put")
                .fails(ProblemType.IDEMPOTENCY_UNSUPPORTED, ProblemType.UNSUPPORTED_TYPE),
            this::remove));
  }

  private record Reading(
      List<Object> entries, List<String> absentKeys, List<String> unreadKeys, long[] bytes) {}

  private CompletionStage<RestResponse> get(AuthorizedRequest authorizedRequest) {
    List<String> keys =
        readKeys(
            JsonFields.of(authorizedRequest, "keys"),
            context.limits().bulkEntries(),
            context.limits().keyBytes());
    return callCache(
            authorizedRequest,
            cache -> {
              Reading reading =
                  new Reading(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new long[1]);
              return read(cache, keys, 0, reading).thenApply(ignored -> reading);
            })
        .thenApply(
            reading -> {
              Map<String, Object> document = new LinkedHashMap<>();
              document.put("entries", reading.entries());
              document.put("absent", reading.absentKeys());
              document.put("left", reading.unreadKeys());
              return RestResponse.json(200, document);
            });
  }

  static List<String> readKeys(JsonFields fields, int maxKeys, int keyBytes) {
    List<String> keys =
        fields
            .texts("keys", maxKeys)
            .orElseThrow(() -> Problem.invalid("keys", "a list", "nothing"));
    for (int i = 0; i < keys.size(); i++) {
      EntriesResource.checkKey("keys[%d]".formatted(i), keys.get(i), keyBytes);
    }
    return keys;
  }

  private CompletionStage<Void> read(
      EnsembleCache<Object, Object> cache, List<String> keys, int from, Reading reading) {
    if (from >= keys.size() || reading.bytes()[0] > context.limits().pageBytes()) {
      reading.unreadKeys().addAll(keys.subList(Math.min(from, keys.size()), keys.size()));
      return CompletableFuture.completedFuture(null);
    }
    List<String> batch =
        keys.subList(from, Math.min(keys.size(), from + countFitting(cache, reading)));
    List<CompletableFuture<Optional<Object>>> values =
        batch.stream().map(key -> cache.async().get(key).toCompletableFuture()).toList();
    return CompletableFuture.allOf(values.toArray(CompletableFuture[]::new))
        .thenCompose(
            ignored -> {
              for (int i = 0; i < batch.size(); i++) {
                add(reading, batch.get(i), values.get(i).getNow(Optional.empty()));
              }
              return read(cache, keys, from + batch.size(), reading);
            });
  }

  /** The number of values that fit if all have the maximum size; at least one. */
  private int countFitting(EnsembleCache<Object, Object> cache, Reading reading) {
    long freeBytes = context.limits().pageBytes() - reading.bytes()[0];
    long count = freeBytes / Math.max(1, cache.definition().maxValueBytes());
    return (int) Math.max(1, Math.min(AT_ONCE, count));
  }

  private void add(Reading reading, String key, Optional<Object> value) {
    if (value.isEmpty()) {
      reading.absentKeys().add(key);
    } else if (reading.bytes()[0] > context.limits().pageBytes()) {
      reading.unreadKeys().add(key);
    } else {
      reading.entries().add(RestValueView.of(key, value.get()));
      reading.bytes()[0] += Representation.ofListing(value.get()).content().length;
    }
  }

  /**
   * An entry to be written.
   *
   * @param value null to remove the key
   */
  record Wanted(String key, @Nullable Object value, Duration ttl) {}

  private CompletionStage<RestResponse> put(AuthorizedRequest authorizedRequest) {
    IdempotencyKey.refuse(authorizedRequest, "retry writes with unknown outcome one by one");
    List<Wanted> entries =
        readEntries(
            JsonFields.of(authorizedRequest, "entries"),
            context.limits().bulkEntries(),
            context.limits().keyBytes());
    return writeAll(authorizedRequest, entries);
  }

  private CompletionStage<RestResponse> remove(AuthorizedRequest authorizedRequest) {
    IdempotencyKey.refuse(authorizedRequest, "removals may be repeated without a key");
    List<String> keys =
        readKeys(
            JsonFields.of(authorizedRequest, "keys"),
            context.limits().bulkEntries(),
            context.limits().keyBytes());
    return writeAll(
        authorizedRequest,
        keys.stream().distinct().map(key -> new Wanted(key, null, Duration.ZERO)).toList());
  }

  private CompletionStage<RestResponse> writeAll(
      AuthorizedRequest authorizedRequest, List<Wanted> entries) {
    return callCache(
            authorizedRequest,
            cache -> {
              List<Object> results = new ArrayList<>();
              return write(cache, entries, 0, results).thenApply(ignored -> results);
            })
        .thenApply(results -> RestResponse.json(200, Map.of("entries", results)));
  }

  /**
   * Rejects duplicate keys: the entries are written concurrently, so the last value of such a key
   * would be arbitrary.
   */
  private static List<Wanted> requireUniqueKeys(List<Wanted> entries) {
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < entries.size(); i++) {
      if (!keys.add(entries.get(i).key())) {
        throw Problem.invalid("entries[%d].key".formatted(i), "unique keys", entries.get(i).key());
      }
    }
    return entries;
  }

  static List<Wanted> readEntries(JsonFields body, int maxKeys, int keyBytes) {
    return requireUniqueKeys(
        body
            .objects("entries", maxKeys, "key", "value", "base64", "contentType", "ttlSeconds")
            .orElseThrow(() -> Problem.invalid("entries", "a list", "nothing"))
            .stream()
            .map(
                fields ->
                    new Wanted(
                        EntriesResource.checkKey(
                            fields.fullName("key"), fields.needed("key"), keyBytes),
                        RestValueView.read(fields).value(),
                        Duration.ofSeconds(
                            fields
                                .number("ttlSeconds", 1, EntriesResource.LONGEST_TTL_SECONDS)
                                .orElse(0))))
            .toList());
  }

  private static CompletionStage<Void> write(
      EnsembleCache<Object, Object> cache, List<Wanted> entries, int from, List<Object> results) {
    if (from >= entries.size()) {
      return CompletableFuture.completedFuture(null);
    }
    List<Wanted> batch = entries.subList(from, Math.min(entries.size(), from + AT_ONCE));
    List<CompletableFuture<Map<String, Object>>> outcomes =
        batch.stream().map(entry -> writeEntry(cache, entry).toCompletableFuture()).toList();
    return CompletableFuture.allOf(outcomes.toArray(CompletableFuture[]::new))
        .thenCompose(
            ignored -> {
              outcomes.forEach(outcome -> results.add(outcome.getNow(Map.of())));
              return write(cache, entries, from + AT_ONCE, results);
            });
  }

  private static CompletionStage<Map<String, Object>> writeEntry(
      EnsembleCache<Object, Object> cache, Wanted entry) {
    CompletionStage<WriteOutcome<Object>> stage;
    try {
      ReservedKeys.refuse(cache, entry.key());
      Object value = entry.value();
      stage =
          value == null
              ? cache.async().remove(entry.key())
              : cache.async().put(entry.key(), value, entry.ttl());
    } catch (RuntimeException e) {
      stage = CompletableFuture.failedFuture(e);
    }
    return stage.handle(
        (outcome, failure) -> {
          if (failure != null
              && ProblemMapper.unwrap(failure) instanceof CacheDeletedException gone) {
            throw gone; // All entries are then written to the cache that has this name now.
          }
          Map<String, Object> document = new LinkedHashMap<>();
          document.put("key", entry.key());
          if (failure == null) {
            document.put("outcome", outcome.getClass().getSimpleName().toLowerCase(Locale.ROOT));
          } else {
            Problem problem = ProblemMapper.toUserProblem(failure);
            document.put("outcome", "failed");
            document.put("problem", problem.type().uri());
            document.put("detail", problem.detail());
          }
          return document;
        });
  }

  private <T> CompletionStage<T> callCache(
      AuthorizedRequest authorizedRequest,
      Function<EnsembleCache<Object, Object>, CompletionStage<T>> call) {
    return context.callCache(authorizedRequest.path("cache"), call);
  }
}
