package io.ensemble.rest.gate;

import io.ensemble.rest.audit.Audit;
import io.ensemble.rest.http.ConcurrencyLimit;
import io.ensemble.rest.http.Permissions;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.identity.Authentication;
import io.ensemble.rest.policy.AccessPolicy;
import io.ensemble.rest.policy.CallerIdentity;
import java.time.InstantSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;

/** Admits requests by the policy. Thread-safe; never blocks. */
public final class AccessFilter implements RequestAuthorizer, AutoCloseable {

  /**
   * The maximum number of requests of one address that wait for authentication, by keys or by a
   * password.
   */
  private static final int MOST_OF_ONE_ADDRESS = 32;

  /** The same for all addresses together. */
  private static final int MOST_STRANGERS = 128;

  private final OriginPolicy originPolicy;
  private final Authentication authentication;
  private final Supplier<AccessPolicy> policy;
  private final ConcurrencyLimit concurrencyLimit;
  private final ConcurrencyLimit beingIdentified =
      new ConcurrencyLimit(
          "requests waiting for authentication", MOST_OF_ONE_ADDRESS, MOST_STRANGERS);
  private final Audit audit;
  private final InstantSource clock;

  /**
   * @param policy asked for each request
   * @param mostOfOne the maximum number of requests of one caller in progress
   */
  public AccessFilter(
      OriginPolicy originPolicy,
      Authentication authentication,
      Supplier<AccessPolicy> policy,
      int mostOfOne,
      Audit audit,
      InstantSource clock) {
    this.originPolicy = originPolicy;
    this.authentication = authentication;
    this.policy = policy;
    this.concurrencyLimit =
        new ConcurrencyLimit("concurrent requests", mostOfOne, Integer.MAX_VALUE);
    this.audit = audit;
    this.clock = clock;
  }

  @Override
  public CompletionStage<RestResponse> pass(
      RequestHead head, RestRoute route, Function<RestCaller, CompletionStage<RestResponse>> on) {
    AuditedRequest passage = new AuditedRequest(head, route, clock.instant());
    CompletionStage<RestResponse> answer;
    try {
      originPolicy.check(head, route.role() == Role.NONE);
      answer =
          route.role() == Role.NONE
              ? on.apply(new RestCaller("anonymous", new Nothing()))
              : identified(head).thenCompose(identity -> admitted(identity, passage, on));
    } catch (RuntimeException | Error e) {
      answer = CompletableFuture.failedFuture(e);
    }
    return answer.handle(
        (reply, failure) -> {
          ProblemException refused = failure == null ? null : refusal(failure);
          passage.end(reply, refused, audit);
          if (refused != null) {
            throw refused;
          }
          return reply;
        });
  }

  private static ProblemException refusal(Throwable failure) {
    return ProblemMapper.bare(failure) instanceof ProblemException known
        ? known
        : new ProblemException(ProblemMapper.problem(failure));
  }

  /** Authenticates the caller. Authentication may take long, so it is bounded for each address. */
  private CompletionStage<CallerIdentity> identified(RequestHead head) {
    String from = head.remote();
    beingIdentified.begin(from);
    CompletionStage<CallerIdentity> found;
    try {
      found = authentication.identify(head);
    } catch (RuntimeException | Error e) {
      found = CompletableFuture.failedFuture(e);
    }
    return found.whenComplete((identity, failure) -> beingIdentified.end(from));
  }

  private CompletionStage<Permissions> stillMay(RequestHead head, CallerIdentity identity) {
    return identified(head)
        .thenApply(
            now -> now.name().equals(identity.name()) ? policy.get().of(now) : new Nothing());
  }

  private CompletionStage<RestResponse> admitted(
      CallerIdentity identity,
      AuditedRequest passage,
      Function<RestCaller, CompletionStage<RestResponse>> on) {
    RestCaller caller =
        new RestCaller(
            identity.name(),
            policy.get().of(identity),
            () -> stillMay(passage.head(), identity),
            passage::isAbout);
    passage.is(caller);
    check(caller, passage);
    concurrencyLimit.begin(caller.name());
    CompletionStage<RestResponse> answer;
    try {
      if (passage.changes()) {
        passage.begin(audit);
        audit.checkWritable();
      }
      answer = on.apply(caller);
    } catch (RuntimeException | Error e) { // The request must be counted as finished.
      answer = CompletableFuture.failedFuture(e);
    }
    return answer.whenComplete((reply, failure) -> concurrencyLimit.end(caller.name()));
  }

  private static void check(RestCaller caller, AuditedRequest passage) {
    Role role = passage.route().role();
    switch (passage.route().scope()) {
      case CACHE -> caller.check(role, passage.head().path("cache"));
      case FEDERATION -> caller.check(role);
      case EACH -> {
        if (!caller.permissions().somewhere(role)) {
          throw RestCaller.forbidden(role);
        }
      }
    }
  }

  @Override
  public void close() {
    try (audit) {
      authentication.close();
    }
  }

  /** The permissions of a caller that was not authenticated. */
  private static final class Nothing implements Permissions {

    @Override
    public boolean ofCache(Role role, String cache) {
      return role == Role.NONE;
    }

    @Override
    public boolean ofFederation(Role role) {
      return role == Role.NONE;
    }

    @Override
    public boolean somewhere(Role role) {
      return role == Role.NONE;
    }
  }
}
