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
import io.ensemble.rest.http.SettingsChange;
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
 * Long-running operations. The state of changes of caches and of parts, and of drains of sites,
 * comes from the catalog. So every process of the service reports the same, regardless of the
 * process that began the operation. Recoveries and clears are those of this service only.
 */
public final class OperationsResource {

  private static final String TAG = "operations";

  private final RestContext context;
  private final DrainService drainService;
  private final ServiceOperations serviceOperations;

  public OperationsResource(
      RestContext context, DrainService drainService, ServiceOperations serviceOperations) {
    this.context = context;
    this.drainService = drainService;
    this.serviceOperations = serviceOperations;
  }

  public List<RestRoute> routes() {
    return List.of(
        new RestRoute(
                HttpMethod.GET,
                "/operations",
                Role.SEE,
                0,
                describe(
                        "listOperations",
                        "Lists the operations in progress that the caller may see, of all "
                            + "processes.")
                    .json(200, "The operations", "Operations"),
                authorizedRequest ->
                    context
                        .workers()
                        .reply(authorizedRequest, () -> list(authorizedRequest.caller())))
            .withScopeEach(),
        new RestRoute(
            HttpMethod.GET,
            "/operations/{operation}",
            Role.SEE,
            0,
            describe("inspectOperation", "Returns the progress or the result of an operation.")
                .json(200, "The operation", "Operation"),
            authorizedRequest ->
                context
                    .workers()
                    .reply(
                        authorizedRequest,
                        () -> inspect(readOperation(authorizedRequest, Role.SEE)))),
        new RestRoute(
            HttpMethod.POST,
            "/operations/{operation}/cancel",
            Role.ADMIN,
            0,
            describe(
                    "cancelOperation",
                    "Cancels an operation: the cache is unchanged, the site serves again. Refused "
                        + "for a change that has sealed the former configuration.")
                .json(200, "The operation was cancelled", "Operation")
                .fails(ProblemType.CONFLICT),
            authorizedRequest ->
                context
                    .workers()
                    .reply(
                        authorizedRequest,
                        () -> cancel(readOperation(authorizedRequest, Role.ADMIN)))),
        new RestRoute(
            HttpMethod.POST,
            "/operations/{operation}/resume",
            Role.ADMIN,
            0,
            describe(
                    "resumeOperation",
                    "Makes this process take over an operation. Safe if its former process is "
                        + "still running.")
                .gives("Location", "The address of the operation.")
                .json(202, "The operation continues in this process", "Operation")
                .fails(
                    ProblemType.CONFLICT, ProblemType.CHANGE_IN_PROGRESS, ProblemType.SITE_IN_USE),
            authorizedRequest ->
                context
                    .workers()
                    .reply(
                        authorizedRequest,
                        () -> resume(readOperation(authorizedRequest, Role.ADMIN)))),
        new RestRoute(
            HttpMethod.PUT,
            "/operations/{operation}/rate",
            Role.ADMIN,
            context.limits().jsonBytes(),
            describe(
                    "paceOperation",
                    "The maximum number of keys copied per second; 0 for no limit.")
                .takes("application/json", "RateRequest")
                .json(200, "The rate is in force", "Operation")
                .fails(ProblemType.CONFLICT, ProblemType.UNSUPPORTED_TYPE),
            this::pace));
  }

  private static RouteDescription describe(String id, String summary) {
    return RouteDescription.of(id, TAG, summary);
  }

  /**
   * The operation in the path; refused unless the caller has the role in its cache or in the
   * federation.
   */
  private static OperationId readOperation(AuthorizedRequest authorizedRequest, Role role) {
    OperationId id = OperationId.parse(authorizedRequest.path("operation"));
    if (id.kind().isOfSite()) {
      authorizedRequest.caller().check(role == Role.SEE ? Role.READ : role);
    } else {
      authorizedRequest.caller().check(role, id.name());
    }
    return id;
  }

  private EnsembleCacheManager manager() {
    return context.manager();
  }

  private RestResponse list(RestCaller caller) {
    List<Object> operations = new ArrayList<>();
    manager().changes().underWay().stream()
        .filter(stored -> caller.hasRole(Role.SEE, stored.definition().name()))
        .forEach(stored -> operations.add(OperationView.of(stored)));
    manager().parts().underWay().stream()
        .filter(stored -> caller.hasRole(Role.SEE, stored.definition().name()))
        .forEach(stored -> operations.add(OperationView.of(stored)));
    serviceOperations.running().stream()
        .filter(operation -> canSee(caller, operation.id()))
        .forEach(operation -> operations.add(operation.describe()));
    if (!caller.permissions().hasRoleInFederation(Role.READ)) {
      return RestResponse.json(200, Map.of("operations", operations));
    }
    for (SiteUsage usage : manager().membership().sites()) {
      if (usage.entry().state() == SiteEntry.State.DRAINING) {
        operations.add(drainService.describe(usage.entry().name()));
      }
    }
    return RestResponse.json(200, Map.of("operations", operations));
  }

  private static boolean canSee(RestCaller caller, OperationId id) {
    return id.kind().isOfSite()
        ? caller.permissions().hasRoleInFederation(Role.READ)
        : caller.hasRole(Role.SEE, id.name());
  }

  private RestResponse inspect(OperationId id) {
    return RestResponse.json(200, describeOperation(id));
  }

  private Map<String, Object> describeOperation(OperationId id) {
    return switch (id.kind()) {
      case DRAIN -> drainService.describe(id.name());
      case CHANGE -> describeChange(id);
      case PARTS -> describeParts(id);
      case RECOVER, CLEAR ->
          serviceOperations
              .find(id)
              .map(ServiceOperation::describe)
              .orElseThrow(() -> Problem.notFound("operation", id.text()));
    };
  }

  private Map<String, Object> describeChange(OperationId id) {
    StoredDefinition stored =
        manager()
            .stored(id.name())
            .filter(candidate -> OperationId.shortCacheId(candidate).equals(id.cacheId()))
            .orElseThrow(() -> Problem.notFound("operation", id.text()));
    if (isInProgress(id, stored)) {
      return OperationView.of(stored);
    }
    return OperationView.ofEnded(id, stored.configuration(), stored.definition());
  }

  private static boolean isInProgress(OperationId id, StoredDefinition stored) {
    return stored.change().isPresent() && OperationId.of(stored).equals(id);
  }

  private Map<String, Object> describeParts(OperationId id) {
    StoredDistribution stored =
        manager()
            .parts()
            .find(id.name())
            .filter(candidate -> candidate.birth().equals(id.cacheId()))
            .filter(
                candidate -> candidate.generation() >= id.number() || isInProgress(id, candidate))
            .orElseThrow(() -> Problem.notFound("operation", id.text()));
    // A change of parts cannot be cancelled, so one that leads beyond the present number never
    // existed.
    return isInProgress(id, stored)
        ? OperationView.of(stored)
        : OperationView.ofEnded(id, stored.generation(), stored.definition());
  }

  private static boolean isInProgress(OperationId id, StoredDistribution stored) {
    return stored.growth().isPresent() && OperationId.of(stored).equals(id);
  }

  /** The change's cache, if this change is the one in progress. */
  private StoredDefinition requireRunning(OperationId id) {
    if (id.kind() != OperationId.Kind.CHANGE) {
      throw Problem.of(
          ProblemType.CONFLICT, "only a change of the configuration of a cache supports this");
    }
    StoredDefinition stored =
        manager().stored(id.name()).orElseThrow(() -> Problem.notFound("operation", id.text()));
    if (!isInProgress(id, stored)) {
      throw toEndedProblem(id);
    }
    return stored;
  }

  private static ProblemException toEndedProblem(OperationId id) {
    return Problem.of(ProblemType.CONFLICT, "the operation has ended; operation=" + id.text());
  }

  private RestResponse cancel(OperationId id) {
    if (id.kind() == OperationId.Kind.DRAIN) {
      IdempotentChange.change(() -> drainService.cancel(id.name()));
      return IdempotentChange.readState(() -> inspect(id));
    }
    requireRunning(id);
    ChangeRun run = manager().changes().join(id.name());
    run.cancel();
    try {
      IdempotentChange.readState(
          () -> manager().changes().resume(id.name())); // Its former mover may be dead.
    } catch (NoSuchElementException over) {
      return RestResponse.json(200, OperationView.cancelled(id));
    }
    return IdempotentChange.readState(() -> inspect(id));
  }

  private RestResponse resume(OperationId id) {
    switch (id.kind()) {
      case DRAIN -> {
        drainService.checkBegun(id.name());
        return toResponse(id, IdempotentChange.change(() -> drainService.begin(id.name())));
      }
      case CHANGE -> {
        requireRunning(id);
        IdempotentChange.change(() -> manager().changes().resume(id.name()));
      }
      case PARTS -> {
        if (!isRunning(describeParts(id))) {
          throw toEndedProblem(id);
        }
        IdempotentChange.change(() -> manager().parts().resume(id.name()));
      }
      case RECOVER, CLEAR ->
          throw Problem.of(
              ProblemType.CONFLICT, "another process cannot take over the operation: repeat it");
    }
    return toResponse(id, IdempotentChange.readState(() -> describeOperation(id)));
  }

  private static boolean isRunning(Map<String, Object> document) {
    return "running".equals(document.get("state"));
  }

  private static RestResponse toResponse(OperationId id, Map<String, Object> document) {
    return RestResponse.json(202, document).with("Location", ResourceLinks.operation(id.text()));
  }

  private CompletionStage<RestResponse> pace(AuthorizedRequest authorizedRequest) {
    OperationId id = readOperation(authorizedRequest, Role.ADMIN);
    JsonFields fields = JsonFields.of(authorizedRequest, "keysPerSecond");
    long rate =
        fields
            .number("keysPerSecond", 0, Integer.MAX_VALUE)
            .orElseThrow(() -> Problem.invalid("keysPerSecond", "an integer", "nothing"));
    return context
        .workers()
        .reply(
            authorizedRequest,
            () -> {
              long former = requireRunning(id).change().orElseThrow().rate();
              authorizedRequest
                  .caller()
                  .changeRecorder()
                  .accept(
                      SettingsChange.between(
                          Map.of("keysPerSecond", former), Map.of("keysPerSecond", rate)));
              IdempotentChange.change(
                  () -> {
                    manager().changes().pace(id.name(), rate);
                    return rate;
                  });
              return IdempotentChange.readState(() -> inspect(id));
            });
  }
}
