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

/** Several entries in one request. Each entry is read or written by itself, several at a time. */
public final class BulkResource {

  private static final String TAG = "entries";
  private static final int AT_ONCE = 64;
  private static final int LONGEST_TTL_SECONDS = Integer.MAX_VALUE;

  private final RestContext federation;

  public BulkResource(RestContext federation) {
    this.federation = federation;
  }

  public List<RestRoute> routes() {
    int json = federation.limits().pageBytes();
    return List.of(
        new RestRoute(
            HttpMethod.POST,
            "/caches/{cache}/bulk/get",
            Role.READ,
            json,
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
            json,
            RouteDescription.of("putEntries", TAG, "Writes several entries. Not atomic.")
                .takes("application/json", "EntriesRequest")
                .json(200, "The outcome of each write", "Put")
                .fails(ProblemType.IDEMPOTENCY_UNSUPPORTED, ProblemType.UNSUPPORTED_TYPE),
            this::put));
  }

  private record Reading(
      List<Object> entries, List<String> absent, List<String> left, long[] bytes) {}

  private CompletionStage<RestResponse> get(AuthorizedRequest authorizedRequest) {
    List<String> keys =
        keys(
            JsonFields.of(authorizedRequest, "keys"),
            federation.limits().bulkEntries(),
            federation.limits().keyBytes());
    return on(
            authorizedRequest,
            cache -> {
              Reading reading =
                  new Reading(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new long[1]);
              return read(cache, keys, 0, reading).thenApply(done -> reading);
            })
        .thenApply(
            reading -> {
              Map<String, Object> shown = new LinkedHashMap<>();
              shown.put("entries", reading.entries());
              shown.put("absent", reading.absent());
              shown.put("left", reading.left());
              return RestResponse.json(200, shown);
            });
  }

  static List<String> keys(JsonFields fields, int most, int keyBytes) {
    List<String> keys =
        fields.texts("keys", most).orElseThrow(() -> Problem.invalid("keys", "a list", "nothing"));
    for (int i = 0; i < keys.size(); i++) {
      EntriesResource.checkKey("keys[%d]".formatted(i), keys.get(i), keyBytes);
    }
    return keys;
  }

  private CompletionStage<Void> read(
      EnsembleCache<Object, Object> cache, List<String> keys, int from, Reading reading) {
    if (from >= keys.size() || reading.bytes()[0] > federation.limits().pageBytes()) {
      reading.left().addAll(keys.subList(Math.min(from, keys.size()), keys.size()));
      return CompletableFuture.completedFuture(null);
    }
    List<String> some = keys.subList(from, Math.min(keys.size(), from + fitting(cache, reading)));
    List<CompletableFuture<Optional<Object>>> found =
        some.stream().map(key -> cache.async().get(key).toCompletableFuture()).toList();
    return CompletableFuture.allOf(found.toArray(CompletableFuture[]::new))
        .thenCompose(
            all -> {
              for (int i = 0; i < some.size(); i++) {
                add(reading, some.get(i), found.get(i).getNow(Optional.empty()));
              }
              return read(cache, keys, from + some.size(), reading);
            });
  }

  /** The number of values that fit if all have the maximum size; at least one. */
  private int fitting(EnsembleCache<Object, Object> cache, Reading reading) {
    long left = federation.limits().pageBytes() - reading.bytes()[0];
    long fit = left / Math.max(1, cache.definition().maxValueBytes());
    return (int) Math.max(1, Math.min(AT_ONCE, fit));
  }

  private void add(Reading reading, String key, Optional<Object> found) {
    if (found.isEmpty()) {
      reading.absent().add(key);
    } else if (reading.bytes()[0] > federation.limits().pageBytes()) {
      reading.left().add(key);
    } else {
      reading.entries().add(RestValueView.of(key, found.get()));
      reading.bytes()[0] += Representation.shown(found.get()).content().length;
    }
  }

  record Wanted(String key, Object value, Duration ttl) {}

  private CompletionStage<RestResponse> put(AuthorizedRequest authorizedRequest) {
    IdempotencyKey.refuse(authorizedRequest, "retry writes with unknown outcome one by one");
    List<Wanted> all =
        wanted(
            JsonFields.of(authorizedRequest, "entries"),
            federation.limits().bulkEntries(),
            federation.limits().keyBytes());
    return on(
            authorizedRequest,
            cache -> {
              List<Object> results = new ArrayList<>();
              return write(cache, all, 0, results).thenApply(done -> results);
            })
        .thenApply(results -> RestResponse.json(200, Map.of("entries", results)));
  }

  /**
   * Rejects duplicate keys: the entries are written concurrently, so the last value of such a key
   * would be arbitrary.
   */
  private static List<Wanted> once(List<Wanted> all) {
    Set<String> keys = new HashSet<>();
    for (int i = 0; i < all.size(); i++) {
      if (!keys.add(all.get(i).key())) {
        throw Problem.invalid("entries[%d].key".formatted(i), "unique keys", all.get(i).key());
      }
    }
    return all;
  }

  static List<Wanted> wanted(JsonFields fields, int most, int keyBytes) {
    return once(
        fields
            .objects("entries", most, "key", "value", "base64", "contentType", "ttlSeconds")
            .orElseThrow(() -> Problem.invalid("entries", "a list", "nothing"))
            .stream()
            .map(
                one ->
                    new Wanted(
                        EntriesResource.checkKey(one.full("key"), one.needed("key"), keyBytes),
                        RestValueView.read(one).value(),
                        Duration.ofSeconds(
                            one.integer("ttlSeconds", 1, LONGEST_TTL_SECONDS).orElse(0))))
            .toList());
  }

  private static CompletionStage<Void> write(
      EnsembleCache<Object, Object> cache, List<Wanted> all, int from, List<Object> results) {
    if (from >= all.size()) {
      return CompletableFuture.completedFuture(null);
    }
    List<Wanted> some = all.subList(from, Math.min(all.size(), from + AT_ONCE));
    List<CompletableFuture<Map<String, Object>>> ended =
        some.stream().map(one -> written(cache, one).toCompletableFuture()).toList();
    return CompletableFuture.allOf(ended.toArray(CompletableFuture[]::new))
        .thenCompose(
            done -> {
              ended.forEach(one -> results.add(one.getNow(Map.of())));
              return write(cache, all, from + AT_ONCE, results);
            });
  }

  private static CompletionStage<Map<String, Object>> written(
      EnsembleCache<Object, Object> cache, Wanted one) {
    CompletionStage<WriteOutcome<Object>> stage;
    try {
      ReservedKeys.refuse(cache, one.key());
      stage = cache.async().put(one.key(), one.value(), one.ttl());
    } catch (RuntimeException e) {
      stage = CompletableFuture.failedFuture(e);
    }
    return stage.handle(
        (outcome, failure) -> {
          if (failure != null
              && ProblemMapper.bare(failure) instanceof CacheDeletedException gone) {
            throw gone; // All entries are then written to the cache that has this name now.
          }
          Map<String, Object> shown = new LinkedHashMap<>();
          shown.put("key", one.key());
          if (failure == null) {
            shown.put("outcome", outcome.getClass().getSimpleName().toLowerCase(Locale.ROOT));
          } else {
            Problem problem = ProblemMapper.inShort(failure);
            shown.put("outcome", "failed");
            shown.put("problem", problem.type().uri());
            shown.put("detail", problem.detail());
          }
          return shown;
        });
  }

  private <T> CompletionStage<T> on(
      AuthorizedRequest authorizedRequest,
      Function<EnsembleCache<Object, Object>, CompletionStage<T>> asked) {
    return federation.on(authorizedRequest.path("cache"), asked);
  }
}
