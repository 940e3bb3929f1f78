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

  private final OriginPolicy originPolicy;
  private final Authentication authentication;
  private final Supplier<AccessPolicy> policy;
  private final ConcurrencyLimit concurrencyLimit;
  private final Audit audit;
  private final InstantSource clock;

  /**
   * @param policy asked for each request
   * @param maxPerCaller the maximum number of requests of one caller in progress
   */
  public AccessFilter(
      OriginPolicy originPolicy,
      Authentication authentication,
      Supplier<AccessPolicy> policy,
      int maxPerCaller,
      Audit audit,
      InstantSource clock) {
    this.originPolicy = originPolicy;
    this.authentication = authentication;
    this.policy = policy;
    this.concurrencyLimit =
        new ConcurrencyLimit("concurrent requests", maxPerCaller, Integer.MAX_VALUE);
    this.audit = audit;
    this.clock = clock;
  }

  @Override
  public CompletionStage<RestResponse> authorize(
      RequestHead head,
      RestRoute route,
      Function<RestCaller, CompletionStage<RestResponse>> handler) {
    AuditedRequest auditedRequest = new AuditedRequest(head, route, clock.instant());
    CompletionStage<RestResponse> response;
    try {
      originPolicy.check(head, route.role() == Role.NONE);
      response =
          route.role() == Role.NONE
              ? handler.apply(new RestCaller("anonymous", new Nothing()))
              : authentication
                  .identify(head)
                  .thenCompose(identity -> admit(identity, auditedRequest, handler));
    } catch (RuntimeException | Error e) {
      response = CompletableFuture.failedFuture(e);
    }
    return response
        .handle(
            (reply, failure) -> {
              ProblemException refusal = failure == null ? null : toProblemException(failure);
              CompletionStage<RestResponse> answer =
                  refusal == null
                      ? CompletableFuture.completedFuture(reply)
                      : CompletableFuture.failedFuture(refusal);
              return auditedRequest
                  .recordEnd(reply, refusal, audit)
                  .thenCompose(recorded -> answer);
            })
        .thenCompose(Function.identity());
  }

  private static ProblemException toProblemException(Throwable failure) {
    return ProblemMapper.unwrap(failure) instanceof ProblemException problemException
        ? problemException
        : new ProblemException(ProblemMapper.problem(failure));
  }

  private CompletionStage<Permissions> currentPermissions(
      RequestHead head, CallerIdentity identity) {
    return authentication
        .identify(head)
        .thenApply(
            current ->
                current.name().equals(identity.name()) ? policy.get().of(current) : new Nothing());
  }

  private CompletionStage<RestResponse> admit(
      CallerIdentity identity,
      AuditedRequest auditedRequest,
      Function<RestCaller, CompletionStage<RestResponse>> handler) {
    RestCaller caller =
        new RestCaller(
            identity.name(),
            policy.get().of(identity),
            () -> currentPermissions(auditedRequest.head(), identity),
            auditedRequest::setSubject,
            auditedRequest::setChange);
    auditedRequest.setCaller(caller);
    check(caller, auditedRequest);
    concurrencyLimit.begin(caller.name());
    CompletionStage<RestResponse> response;
    try {
      response =
          auditedRequest.isChange()
              ? auditedRequest
                  .recordBegin(audit)
                  .thenCompose(begun -> audit.checkWritable())
                  .thenCompose(writable -> handler.apply(caller))
              : handler.apply(caller);
    } catch (RuntimeException | Error e) { // The request must be counted as finished.
      response = CompletableFuture.failedFuture(e);
    }
    return response.whenComplete((reply, failure) -> concurrencyLimit.end(caller.name()));
  }

  private static void check(RestCaller caller, AuditedRequest auditedRequest) {
    Role role = auditedRequest.route().role();
    switch (auditedRequest.route().scope()) {
      case CACHE -> caller.check(role, auditedRequest.head().path("cache"));
      case FEDERATION -> caller.check(role);
      case EACH -> {
        if (!caller.permissions().hasRoleAnywhere(role)) {
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
    public boolean hasRoleInCache(Role role, String cache) {
      return role == Role.NONE;
    }

    @Override
    public boolean hasRoleInFederation(Role role) {
      return role == Role.NONE;
    }

    @Override
    public boolean hasRoleAnywhere(Role role) {
      return role == Role.NONE;
    }
  }
}
