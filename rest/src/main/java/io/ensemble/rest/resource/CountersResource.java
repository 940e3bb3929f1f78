package io.ensemble.rest.resource;

import io.ensemble.objects.sync.Counted;
import io.ensemble.objects.sync.SharedCounter;
import io.ensemble.rest.http.Call;
import io.ensemble.rest.http.Described;
import io.ensemble.rest.http.Method;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.Reply;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.Route;
import io.ensemble.rest.json.Fields;
import io.ensemble.rest.json.Json;
import io.ensemble.rest.resource.SharedObjects.OfCache;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Counters on MWMR caches: {@link io.ensemble.objects.sync.SharedCounter}, by name. A change with
 * an Idempotency-Key is a call with that name, which the counter itself remembers, in the same
 * step.
 */
final class CountersResource {

  private static final String TAG = "counters";
  private static final String PATH = "/caches/{cache}/counters/{counter}";

  private final Federation federation;
  private final SharedObjects objects;

  CountersResource(Federation federation, SharedObjects objects) {
    this.federation = federation;
    this.objects = objects;
  }

  List<Route> routes() {
    int json = federation.limits().jsonBytes();
    return List.of(
        new Route(
            Method.GET,
            PATH,
            Role.READ,
            0,
            described("getCounter", "A counter's number.").json(200, "It", "Counter"),
            this::get),
        new Route(
            Method.POST,
            PATH + "/add",
            Role.WRITE,
            json,
            changing("addToCounter", "Adds to a counter, which is created with 0.")
                .takes("application/json", "AddRequest")
                .json(200, "The sum", "Counter"),
            this::add),
        new Route(
            Method.POST,
            PATH + "/compare-and-set",
            Role.WRITE,
            json,
            changing(
                    "compareAndSetCounter",
                    "Sets a counter, which is created with 0, if it is what is expected.")
                .takes("application/json", "CompareAndSetRequest")
                .json(200, "Whether it was set, and what it is", "CounterSet"),
            this::compareAndSet),
        new Route(
            Method.DELETE,
            PATH,
            Role.WRITE,
            0,
            described("deleteCounter", "Deletes a counter.").empty(204, "It is deleted"),
            this::delete));
  }

  private static Described described(String id, String summary) {
    return Described.of(id, TAG, summary)
        .fails(ProblemType.CONFLICT, ProblemType.SITES_UNAVAILABLE, ProblemType.UNKNOWN_OUTCOME);
  }

  private static Described changing(String id, String summary) {
    return described(id, summary)
        .header(
            IdempotencyKey.HEADER,
            "IdempotencyKey",
            "Makes the same request, sent again within five minutes, the same change.")
        .fails(ProblemType.IDEMPOTENCY_KEY_REUSED, ProblemType.UNSUPPORTED_TYPE);
  }

  private <R> CompletionStage<R> on(
      Call call, boolean retrySafe, Function<SharedCounter, CompletionStage<R>> use) {
    String name = objects.name(call.path("counter"));
    return objects.call(
        call.path("cache"),
        retrySafe,
        all -> all.counters().with(name, () -> all.synchronizers().counter(name), use));
  }

  private CompletionStage<Reply> get(Call call) {
    String name = objects.name(call.path("counter"));
    return objects
        .call(call.path("cache"), true, all -> looked(all, name))
        .thenApply(value -> Reply.json(200, Map.of("value", value)));
  }

  /** One read of a counter that is open here and there. */
  private CompletionStage<Long> looked(OfCache all, String name) {
    CompletionStage<Long> known = all.counters().ifOpen(name, SharedCounter::getAsync);
    if (known == null) {
      return opened(all, name);
    }
    return known
        .handle(
            (value, failure) -> {
              if (failure == null) {
                return CompletableFuture.completedFuture(value);
              }
              return Handles.isUseless(failure)
                  ? opened(all, name)
                  : CompletableFuture.<Long>failedFuture(failure);
            })
        .thenCompose(Function.identity());
  }

  private CompletionStage<Long> opened(OfCache all, String name) {
    return federation
        .workers()
        .waitFor(() -> there(all, name))
        .thenCompose(
            found ->
                all.counters()
                    .with(name, () -> all.synchronizers().counter(name), SharedCounter::getAsync));
  }

  /** Looking creates nothing. */
  private static boolean there(OfCache all, String name) {
    if (!all.factory().exists(name)) {
      throw Problem.notFound("counter", name);
    }
    return true;
  }

  private CompletionStage<Reply> add(Call call) {
    Fields fields = Fields.of(call, "delta");
    long delta = fields.number("delta", Long.MIN_VALUE, Long.MAX_VALUE).orElse(1);
    Optional<UUID> key = IdempotencyKey.of(call);
    if (key.isEmpty()) {
      return on(call, false, counter -> counter.addAndGetAsync(delta))
          .thenApply(sum -> Reply.json(200, Map.of("value", sum)));
    }
    return on(call, true, counter -> counter.addOnceAsync(key.get(), delta))
        .thenApply(done -> Reply.json(200, Map.of("value", checked(done).value())));
  }

  private CompletionStage<Reply> compareAndSet(Call call) {
    Fields fields = Fields.of(call, "expected", "next");
    long expected = needed(fields, "expected");
    long next = needed(fields, "next");
    Optional<UUID> key = IdempotencyKey.of(call);
    if (key.isEmpty()) {
      return on(
              call,
              false,
              counter ->
                  counter
                      .compareAndSetAsync(expected, next)
                      .thenCompose(
                          set ->
                              set
                                  ? CompletableFuture.completedFuture(
                                      new Counted(Counted.End.DONE, next))
                                  : counter
                                      .getAsync()
                                      .thenApply(now -> new Counted(Counted.End.NOT_MET, now))))
          .thenApply(CountersResource::shown);
    }
    return on(call, true, counter -> counter.compareAndSetOnceAsync(key.get(), expected, next))
        .thenApply(done -> shown(checked(done)));
  }

  private static long needed(Fields fields, String name) {
    OptionalLong found = fields.number(name, Long.MIN_VALUE, Long.MAX_VALUE);
    return found.orElseThrow(() -> Problem.invalid(name, "a whole number", "nothing"));
  }

  private static Reply shown(Counted done) {
    return Reply.json(
        200, Json.object("set", done.end() == Counted.End.DONE, "value", done.value()));
  }

  private static Counted checked(Counted done) {
    return switch (done.end()) {
      case DONE, NOT_MET -> done;
      case OTHER_CALL ->
          throw Problem.of(
              ProblemType.IDEMPOTENCY_KEY_REUSED,
              "the key was of another change of this counter; nothing was done");
      case TOO_MANY ->
          throw new ProblemException(
              Problem.bare(
                      ProblemType.BUSY,
                      "wanted at most 1,000 changes with a key of one counter in five minutes;"
                          + " nothing was done")
                  .header("Retry-After", "60"));
    };
  }

  private CompletionStage<Reply> delete(Call call) {
    String name = objects.name(call.path("counter"));
    return objects
        .call(
            call.path("cache"),
            true,
            all -> federation.workers().waitFor(call, () -> disposed(all, name)))
        .thenApply(done -> Reply.noContent());
  }

  private static boolean disposed(OfCache all, String name) {
    there(all, name);
    all.synchronizers().counter(name).close(); // Refuses what is something else.
    boolean disposed = all.factory().dispose(name);
    all.counters().forget(name);
    return disposed;
  }
}
