package io.ensemble.rest.resource;

import io.ensemble.ChangeRun;
import io.ensemble.EnsembleCacheManager;
import io.ensemble.SiteUse;
import io.ensemble.catalog.SiteEntry;
import io.ensemble.catalog.StoredDefinition;
import io.ensemble.catalog.StoredDistribution;
import io.ensemble.rest.http.Call;
import io.ensemble.rest.http.Caller;
import io.ensemble.rest.http.Described;
import io.ensemble.rest.http.Method;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.Reply;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.Route;
import io.ensemble.rest.json.Fields;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.concurrent.CompletionStage;

/**
 * What takes its time: changes of caches and of parts, and drains of sites. Everything is read from
 * the catalog, so every process of the service tells the same, whoever began it.
 */
final class OperationsResource {

  private static final String TAG = "operations";

  private final Federation federation;
  private final Drains drains;

  OperationsResource(Federation federation, Drains drains) {
    this.federation = federation;
    this.drains = drains;
  }

  List<Route> routes() {
    return List.of(
        new Route(
                Method.GET,
                "/operations",
                Role.SEE,
                0,
                described(
                        "listOperations",
                        "All that is under way and the caller may see, whoever carries it out.")
                    .json(200, "Them", "Operations"),
                call -> federation.workers().reply(call, () -> list(call.caller())))
            .ofEach(),
        new Route(
            Method.GET,
            "/operations/{operation}",
            Role.SEE,
            0,
            described("inspectOperation", "How far it is, or how it ended.")
                .json(200, "It", "Operation"),
            call -> federation.workers().reply(call, () -> inspect(id(call, Role.SEE)))),
        new Route(
            Method.POST,
            "/operations/{operation}/cancel",
            Role.ADMIN,
            0,
            described(
                    "cancelOperation",
                    "Gives it up: the cache stays what it is, the site serves again. Too late for a"
                        + " change that has begun to end what the cache was.")
                .json(200, "It is given up", "Operation")
                .fails(ProblemType.CONFLICT),
            call -> federation.workers().reply(call, () -> cancel(id(call, Role.ADMIN)))),
        new Route(
            Method.POST,
            "/operations/{operation}/resume",
            Role.ADMIN,
            0,
            described(
                    "resumeOperation",
                    "This process takes it over, whoever carries it out. Harmless if they live.")
                .gives("Location", "Its address.")
                .json(202, "It goes on here", "Operation")
                .fails(ProblemType.CONFLICT, ProblemType.CHANGE_UNDER_WAY, ProblemType.SITE_IN_USE),
            call -> federation.workers().reply(call, () -> resume(id(call, Role.ADMIN)))),
        new Route(
            Method.PUT,
            "/operations/{operation}/rate",
            Role.ADMIN,
            federation.limits().jsonBytes(),
            described("paceOperation", "How many keys a second may be copied; 0 for no bound.")
                .takes("application/json", "RateRequest")
                .json(200, "It is so from now on", "Operation")
                .fails(ProblemType.CONFLICT, ProblemType.UNSUPPORTED_TYPE),
            this::pace));
  }

  private static Described described(String id, String summary) {
    return Described.of(id, TAG, summary);
  }

  /** Which one; refused unless the caller has the role where it belongs. */
  private static OperationId id(Call call, Role role) {
    OperationId id = OperationId.parse(call.path("operation"));
    if (id.kind() == OperationId.Kind.DRAIN) {
      call.caller().check(role == Role.SEE ? Role.READ : role);
    } else {
      call.caller().check(role, id.name());
    }
    return id;
  }

  private EnsembleCacheManager manager() {
    return federation.manager();
  }

  private Reply list(Caller caller) {
    List<Object> all = new ArrayList<>();
    manager().changes().underWay().stream()
        .filter(stored -> caller.may(Role.SEE, stored.definition().name()))
        .forEach(stored -> all.add(OperationView.of(stored)));
    manager().parts().underWay().stream()
        .filter(stored -> caller.may(Role.SEE, stored.definition().name()))
        .forEach(stored -> all.add(OperationView.of(stored)));
    if (!caller.permissions().ofFederation(Role.READ)) {
      return Reply.json(200, Map.of("operations", all));
    }
    for (SiteUse use : manager().membership().sites()) {
      if (use.entry().state() == SiteEntry.State.DRAINING) {
        all.add(drains.shown(use.entry().name()));
      }
    }
    return Reply.json(200, Map.of("operations", all));
  }

  private Reply inspect(OperationId id) {
    return Reply.json(200, shown(id));
  }

  private Map<String, Object> shown(OperationId id) {
    return switch (id.kind()) {
      case DRAIN -> drains.shown(id.name());
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
    // A change of parts cannot be given up, so one that leads further than what is never was.
    return isOf(id, stored)
        ? OperationView.of(stored)
        : OperationView.over(id, stored.generation(), stored.definition());
  }

  private static boolean isOf(OperationId id, StoredDistribution stored) {
    return stored.growth().isPresent() && OperationId.of(stored).equals(id);
  }

  /** The change's cache, if it is this change that is under way. */
  private StoredDefinition running(OperationId id) {
    if (id.kind() != OperationId.Kind.CHANGE) {
      throw Problem.of(
          ProblemType.CONFLICT, "this can be done to a change of a cache's configuration only");
    }
    StoredDefinition stored =
        manager().stored(id.name()).orElseThrow(() -> Problem.notFound("operation", id.text()));
    if (!isOf(id, stored)) {
      throw over(id);
    }
    return stored;
  }

  private static ProblemException over(OperationId id) {
    return Problem.of(ProblemType.CONFLICT, "it is over; operation=" + id.text());
  }

  private Reply cancel(OperationId id) {
    if (id.kind() == OperationId.Kind.DRAIN) {
      Repeatable.change(() -> drains.giveUp(id.name()));
      return Repeatable.look(() -> inspect(id));
    }
    running(id);
    ChangeRun run = manager().changes().join(id.name());
    run.giveUp();
    try {
      Repeatable.look(() -> manager().changes().resume(id.name())); // Whose it was may be dead.
    } catch (NoSuchElementException over) {
      return Reply.json(200, OperationView.givenUp(id));
    }
    return Repeatable.look(() -> inspect(id));
  }

  private Reply resume(OperationId id) {
    switch (id.kind()) {
      case DRAIN -> {
        drains.checkBegun(id.name());
        return began(id, Repeatable.change(() -> drains.begin(id.name())));
      }
      case CHANGE -> {
        running(id);
        Repeatable.change(() -> manager().changes().resume(id.name()));
      }
      case PARTS -> {
        if (!isRunning(parts(id))) {
          throw over(id);
        }
        Repeatable.change(() -> manager().parts().resume(id.name()));
      }
    }
    return began(id, Repeatable.look(() -> shown(id)));
  }

  private static boolean isRunning(Map<String, Object> shown) {
    return "running".equals(shown.get("state"));
  }

  private static Reply began(OperationId id, Map<String, Object> shown) {
    return Reply.json(202, shown).with("Location", Links.operation(id.text()));
  }

  private CompletionStage<Reply> pace(Call call) {
    OperationId id = id(call, Role.ADMIN);
    Fields fields = Fields.of(call, "keysPerSecond");
    long rate =
        fields
            .number("keysPerSecond", 0, Integer.MAX_VALUE)
            .orElseThrow(() -> Problem.invalid("keysPerSecond", "a whole number", "nothing"));
    return federation
        .workers()
        .reply(
            call,
            () -> {
              running(id);
              Repeatable.change(
                  () -> {
                    manager().changes().pace(id.name(), rate);
                    return rate;
                  });
              return Repeatable.look(() -> inspect(id));
            });
  }
}
