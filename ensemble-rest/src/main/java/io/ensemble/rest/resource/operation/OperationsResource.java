package io.ensemble.rest.resource.operation;

import io.ensemble.EnsembleCacheManager;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.definition.StoredDistribution;
import io.ensemble.catalog.site.SiteEntry;
import io.ensemble.membership.SiteUsage;
import io.ensemble.reconfiguration.ChangeRun;
import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.json.JsonFields;
import io.ensemble.rest.resource.context.IdempotentChange;
import io.ensemble.rest.resource.context.ResourceLinks;
import io.ensemble.rest.resource.context.RestContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletionStage;

/**
 * Long-running operations: changes of caches and of parts, and drains of sites. All state comes
 * from the catalog, so every process of the service reports the same, regardless of the process
 * that began the operation.
 */
public final class OperationsResource {

  private static final String TAG = "operations";

  private final RestContext federation;
  private final DrainService drainService;

  public OperationsResource(RestContext federation, DrainService drainService) {
    this.federation = federation;
    this.drainService = drainService;
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
                HttpMethod.GET,
                "/operations",
                Role.SEE,
                0,
                described(
                        "listOperations",
                        "Lists the operations in progress that the caller may see, of all "
                            + "processes.")
                    .json(200, "The operations", "Operations"),
                authorizedRequest ->
                    federation
                        .workers()
                        .reply(authorizedRequest, () -> list(authorizedRequest.caller())))
            .ofEach(),
        new RestRoute(
            HttpMethod.GET,
            "/operations/{operation}",
            Role.SEE,
            0,
            described("inspectOperation", "Returns the progress or the result of an operation.")
                .json(200, "The operation", "Operation"),
            authorizedRequest ->
                federation
                    .workers()
                    .reply(authorizedRequest, () -> inspect(id(authorizedRequest, Role.SEE)))),
        new RestRoute(
            HttpMethod.POST,
            "/operations/{operation}/cancel",
            Role.ADMIN,
            0,
            described(
                    "cancelOperation",
                    "Cancels an operation: the cache is unchanged, the site serves again. Refused "
                        + "for a change that has sealed the former configuration.")
                .json(200, "The operation was cancelled", "Operation")
                .fails(ProblemType.CONFLICT),
            authorizedRequest ->
                federation
                    .workers()
                    .reply(authorizedRequest, () -> cancel(id(authorizedRequest, Role.ADMIN)))),
        new RestRoute(
            HttpMethod.POST,
            "/operations/{operation}/resume",
            Role.ADMIN,
            0,
            described(
                    "resumeOperation",
                    "Makes this process take over an operation. Safe if its former process is "
                        + "still running.")
                .gives("Location", "The address of the operation.")
                .json(202, "The operation continues in this process", "Operation")
                .fails(
                    ProblemType.CONFLICT, ProblemType.CHANGE_IN_PROGRESS, ProblemType.SITE_IN_USE),
            authorizedRequest ->
                federation
                    .workers()
                    .reply(authorizedRequest, () -> resume(id(authorizedRequest, Role.ADMIN)))),
        new RestRoute(
            HttpMethod.PUT,
            "/operations/{operation}/rate",
            Role.ADMIN,
            federation.limits().jsonBytes(),
            described(
                    "paceOperation",
                    "The maximum number of keys copied per second; 0 for no limit.")
                .takes("application/json", "RateRequest")
                .json(200, "The rate is in force", "Operation")
                .fails(ProblemType.CONFLICT, ProblemType.UNSUPPORTED_TYPE),
            this::pace));
  }

  private static RouteDescription described(String id, String summary) {
    return RouteDescription.of(id, TAG, summary);
  }

  /**
   * The operation in the path; refused unless the caller has the role in its cache or in the
   * federation.
   */
  private static OperationId id(AuthorizedRequest authorizedRequest, Role role) {
    OperationId id = OperationId.parse(authorizedRequest.path("operation"));
    if (id.kind() == OperationId.Kind.DRAIN) {
      authorizedRequest.caller().check(role == Role.SEE ? Role.READ : role);
    } else {
      authorizedRequest.caller().check(role, id.name());
    }
    return id;
  }

  private EnsembleCacheManager manager() {
    return federation.manager();
  }

  private RestResponse list(RestCaller caller) {
    List<Object> all = new ArrayList<>();
    manager().changes().underWay().stream()
        .filter(stored -> caller.may(Role.SEE, stored.definition().name()))
        .forEach(stored -> all.add(OperationView.of(stored)));
    manager().parts().underWay().stream()
        .filter(stored -> caller.may(Role.SEE, stored.definition().name()))
        .forEach(stored -> all.add(OperationView.of(stored)));
    if (!caller.permissions().ofFederation(Role.READ)) {
      return RestResponse.json(200, Map.of("operations", all));
    }
    for (SiteUsage use : manager().membership().sites()) {
      if (use.entry().state() == SiteEntry.State.DRAINING) {
        all.add(drainService.shown(use.entry().name()));
      }
    }
    return RestResponse.json(200, Map.of("operations", all));
  }

  private RestResponse inspect(OperationId id) {
    return RestResponse.json(200, shown(id));
  }

  private Map<String, Object> shown(OperationId id) {
    return switch (id.kind()) {
      case DRAIN -> drainService.shown(id.name());
      case CHANGE -> change(id);
      case PARTS -> parts(id);
    };
  }

  private Map<String, Object> change(OperationId id) {
    StoredDefinition stored =
        manager()
            .stored(id.name())
            .filter(there -> OperationId.birth(there).equals(id.birth()))
            .orElseThrow(() -> Problem.notFound("operation", id.text()));
    if (isOf(id, stored)) {
      return OperationView.of(stored);
    }
    return OperationView.over(id, stored.configuration(), stored.definition());
  }

  private static boolean isOf(OperationId id, StoredDefinition stored) {
    return stored.change().isPresent() && OperationId.of(stored).equals(id);
  }

  private Map<String, Object> parts(OperationId id) {
    StoredDistribution stored =
        manager()
            .parts()
            .find(id.name())
            .filter(there -> there.birth().equals(id.birth()))
            .filter(there -> there.generation() >= id.number() || isOf(id, there))
            .orElseThrow(() -> Problem.notFound("operation", id.text()));
    // A change of parts cannot be cancelled, so one that leads beyond the present number never
    // existed.
    return isOf(id, stored)
        ? OperationView.of(stored)
        : OperationView.over(id, stored.generation(), stored.definition());
  }

  private static boolean isOf(OperationId id, StoredDistribution stored) {
    return stored.growth().isPresent() && OperationId.of(stored).equals(id);
  }

  /** The change's cache, if this change is the one in progress. */
  private StoredDefinition running(OperationId id) {
    if (id.kind() != OperationId.Kind.CHANGE) {
      throw Problem.of(
          ProblemType.CONFLICT, "only a change of the configuration of a cache supports this");
    }
    StoredDefinition stored =
        manager().stored(id.name()).orElseThrow(() -> Problem.notFound("operation", id.text()));
    if (!isOf(id, stored)) {
      throw over(id);
    }
    return stored;
  }

  private static ProblemException over(OperationId id) {
    return Problem.of(ProblemType.CONFLICT, "the operation has ended; operation=" + id.text());
  }

  private RestResponse cancel(OperationId id) {
    if (id.kind() == OperationId.Kind.DRAIN) {
      IdempotentChange.change(() -> drainService.cancel(id.name()));
      return IdempotentChange.look(() -> inspect(id));
    }
    running(id);
    ChangeRun run = manager().changes().join(id.name());
    run.cancel();
    try {
      IdempotentChange.look(
          () -> manager().changes().resume(id.name())); // Its former mover may be dead.
    } catch (NoSuchElementException over) {
      return RestResponse.json(200, OperationView.cancelled(id));
    }
    return IdempotentChange.look(() -> inspect(id));
  }

  private RestResponse resume(OperationId id) {
    switch (id.kind()) {
      case DRAIN -> {
        drainService.checkBegun(id.name());
        return began(id, IdempotentChange.change(() -> drainService.begin(id.name())));
      }
      case CHANGE -> {
        running(id);
        IdempotentChange.change(() -> manager().changes().resume(id.name()));
      }
      case PARTS -> {
        if (!isRunning(parts(id))) {
          throw over(id);
        }
        IdempotentChange.change(() -> manager().parts().resume(id.name()));
      }
    }
    return began(id, IdempotentChange.look(() -> shown(id)));
  }

  private static boolean isRunning(Map<String, Object> shown) {
    return "running".equals(shown.get("state"));
  }

  private static RestResponse began(OperationId id, Map<String, Object> shown) {
    return RestResponse.json(202, shown).with("Location", ResourceLinks.operation(id.text()));
  }

  private CompletionStage<RestResponse> pace(AuthorizedRequest authorizedRequest) {
    OperationId id = id(authorizedRequest, Role.ADMIN);
    JsonFields fields = JsonFields.of(authorizedRequest, "keysPerSecond");
    long rate =
        fields
            .number("keysPerSecond", 0, Integer.MAX_VALUE)
            .orElseThrow(() -> Problem.invalid("keysPerSecond", "an integer", "nothing"));
    return federation
        .workers()
        .reply(
            authorizedRequest,
            () -> {
              running(id);
              IdempotentChange.change(
                  () -> {
                    manager().changes().pace(id.name(), rate);
                    return rate;
                  });
              return IdempotentChange.look(() -> inspect(id));
            });
  }
}
