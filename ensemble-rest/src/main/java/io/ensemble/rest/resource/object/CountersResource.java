package io.ensemble.rest.resource.object;

import io.ensemble.objects.AtomicObjectException;
import io.ensemble.objects.sync.CounterResult;
import io.ensemble.objects.sync.SharedCounter;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.rest.json.StrictJson;
import io.ensemble.rest.resource.context.IdempotencyKey;
import io.ensemble.rest.resource.context.RestContext;
import io.ensemble.rest.resource.object.ObjectFactoryCache.OfCache;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Counters on MWMR caches: {@link io.ensemble.objects.sync.SharedCounter}, by name. A change with
 * an Idempotency-Key is a call with that name, which the counter itself stores in the same step.
 */
public final class CountersResource {

  private static final String TAG = "counters";
  private static final String PATH = "/caches/{cache}/counters/{counter}";

  private final RestContext context;
  private final ObjectFactoryCache objects;

  public CountersResource(RestContext context, ObjectFactoryCache objects) {
    this.context = context;
    this.objects = objects;
  }

  public List<RestRoute> routes() {
    int maxBodyBytes = context.limits().jsonBytes();
    return List.of(
        new RestRoute(
            HttpMethod.GET,
            PATH,
            Role.READ,
            0,
            describe("getCounter", "Returns the value of a counter.")
                .json(200, "The value", "Counter"),
            this::get),
        new RestRoute(
            HttpMethod.POST,
            PATH + "/add",
            Role.WRITE,
            maxBodyBytes,
            describeChange(
                    "addToCounter", "Adds to a counter. An absent counter is created with 0.")
                .takes("application/json", "AddRequest")
                .json(200, "The new value", "Counter"),
            this::add),
        new RestRoute(
            HttpMethod.POST,
            PATH + "/compare-and-set",
            Role.WRITE,
            maxBodyBytes,
            describeChange(
                    "compareAndSetCounter",
                    "Sets a counter if it has the expected value. An absent counter is created "
                        + "with 0.")
                .takes("application/json", "CompareAndSetRequest")
                .json(200, "Whether the counter was set, and its value", "CounterSet"),
            this::compareAndSet),
        new RestRoute(
            HttpMethod.DELETE,
            PATH,
            Role.WRITE,
            0,
            describe("deleteCounter", "Deletes a counter.").empty(204, "The counter was deleted"),
            this::delete));
  }

  private static RouteDescription describe(String id, String summary) {
    return RouteDescription.of(id, TAG, summary)
        .fails(ProblemType.CONFLICT, ProblemType.SITES_UNAVAILABLE, ProblemType.UNKNOWN_OUTCOME);
  }

  private static RouteDescription describeChange(String id, String summary) {
    return describe(id, summary)
        .header(
            IdempotencyKey.HEADER,
            "IdempotencyKey",
            "Makes a retry within five minutes have no further effect.")
        .fails(ProblemType.IDEMPOTENCY_KEY_REUSED, ProblemType.UNSUPPORTED_TYPE);
  }

  private <R> CompletionStage<R> callCounter(
      AuthorizedRequest authorizedRequest,
      boolean retrySafe,
      Function<SharedCounter, CompletionStage<R>> use) {
    String name = objects.checkName(authorizedRequest.path("counter"));
    return objects.call(
        authorizedRequest.path("cache"),
        retrySafe,
        cacheObjects ->
            cacheObjects
                .counters()
                .call(name, () -> cacheObjects.synchronizers().counter(name), use));
  }

  private CompletionStage<RestResponse> get(AuthorizedRequest authorizedRequest) {
    String name = objects.checkName(authorizedRequest.path("counter"));
    return objects
        .call(authorizedRequest.path("cache"), true, cacheObjects -> readValue(cacheObjects, name))
        .thenApply(value -> RestResponse.json(200, Map.of("value", value)));
  }

  /** Reads a counter that exists, by its open handle if there is one. */
  private CompletionStage<Long> readValue(OfCache cacheObjects, String name) {
    CompletionStage<Long> openValue =
        cacheObjects.counters().callIfOpen(name, SharedCounter::getAsync);
    if (openValue == null) {
      return openAndRead(cacheObjects, name);
    }
    return openValue
        .handle(
            (value, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(value);
              }
              return HandleCache.isOfStaleHandle(failure)
                  ? openAndRead(cacheObjects, name)
                  : CompletableFuture.<Long>failedFuture(failure);
            })
        .thenCompose(Function.identity());
  }

  private static CompletionStage<Long> openAndRead(OfCache cacheObjects, String name) {
    return cacheObjects
        .counters()
        .call(name, () -> openExisting(cacheObjects, name), SharedCounter::getAsync);
  }

  /** Opens a counter. Neither a read nor a deletion may create one. */
  private static SharedCounter openExisting(OfCache cacheObjects, String name) {
    try {
      return cacheObjects.synchronizers().existing().counter(name);
    } catch (AtomicObjectException.NoSuchObject e) {
      throw Problem.notFound("counter", name);
    }
  }

  private CompletionStage<RestResponse> add(AuthorizedRequest authorizedRequest) {
    JsonFields fields = JsonFields.of(authorizedRequest, "delta");
    long delta = fields.number("delta", Long.MIN_VALUE, Long.MAX_VALUE).orElse(1);
    Optional<UUID> key = IdempotencyKey.of(authorizedRequest);
    if (key.isEmpty()) {
      return callCounter(authorizedRequest, false, counter -> counter.addAndGetAsync(delta))
          .thenApply(sum -> RestResponse.json(200, Map.of("value", sum)));
    }
    return callCounter(authorizedRequest, true, counter -> counter.addOnceAsync(key.get(), delta))
        .thenApply(
            result -> RestResponse.json(200, Map.of("value", requireApplied(result).value())));
  }

  private CompletionStage<RestResponse> compareAndSet(AuthorizedRequest authorizedRequest) {
    JsonFields fields = JsonFields.of(authorizedRequest, "expected", "next");
    long expected = fields.neededNumber("expected", Long.MIN_VALUE, Long.MAX_VALUE);
    long next = fields.neededNumber("next", Long.MIN_VALUE, Long.MAX_VALUE);
    Optional<UUID> key = IdempotencyKey.of(authorizedRequest);
    if (key.isEmpty()) {
      return callCounter(
              authorizedRequest,
              false,
              counter ->
                  counter
                      .compareAndSetAsync(expected, next)
                      .thenCompose(
                          isSet ->
                              isSet
                                  ? CompletableFuture.completedFuture(
                                      new CounterResult(CounterResult.End.DONE, next))
                                  : counter
                                      .getAsync()
                                      .thenApply(
                                          value ->
                                              new CounterResult(CounterResult.End.NOT_MET, value))))
          .thenApply(CountersResource::toResponse);
    }
    return callCounter(
            authorizedRequest,
            true,
            counter -> counter.compareAndSetOnceAsync(key.get(), expected, next))
        .thenApply(result -> toResponse(requireApplied(result)));
  }

  private static RestResponse toResponse(CounterResult result) {
    return RestResponse.json(
        200,
        StrictJson.object("set", result.end() == CounterResult.End.DONE, "value", result.value()));
  }

  private static CounterResult requireApplied(CounterResult result) {
    return switch (result.end()) {
      case DONE, NOT_MET -> result;
      case OTHER_CALL ->
          throw Problem.of(
              ProblemType.IDEMPOTENCY_KEY_REUSED,
              "the key belongs to another change of this counter; nothing was done");
      case TOO_MANY ->
          throw new ProblemException(
              Problem.bare(
                      ProblemType.BUSY,
                      "at most 1,000 changes of a counter within five minutes may have a key; "
                          + "nothing was done")
                  .header("Retry-After", "60"));
    };
  }

  private CompletionStage<RestResponse> delete(AuthorizedRequest authorizedRequest) {
    String name = objects.checkName(authorizedRequest.path("counter"));
    return objects
        .call(
            authorizedRequest.path("cache"),
            true,
            cacheObjects ->
                context
                    .workers()
                    .waitFor(authorizedRequest, () -> disposeCounter(cacheObjects, name)))
        .thenApply(result -> RestResponse.noContent());
  }

  private static boolean disposeCounter(OfCache cacheObjects, String name) {
    // Fails if the name belongs to another kind of object.
    openExisting(cacheObjects, name).close();
    boolean isDisposed = cacheObjects.factory().dispose(name);
    cacheObjects.counters().drop(name);
    if (!isDisposed) {
      throw Problem.notFound("counter", name); // Another deletion was first.
    }
    return true;
  }
}
