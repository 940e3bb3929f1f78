package io.ensemble.rest.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.audit.Audit;
import io.ensemble.rest.audit.AuditSink;
import io.ensemble.rest.http.HttpMethod;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.RestResponse;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RouteDescription;
import io.ensemble.rest.identity.Authentication;
import io.ensemble.rest.identity.StaticTokens;
import io.ensemble.rest.policy.AccessPolicy;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Places are released and audit lines written, however a request ends. */
class AccessFilterTest {

  private static final String TOKEN = "t".repeat(32);
  private static final String THEIRS = "u".repeat(32);
  private static final RestRoute CHANGE = route(Role.ADMIN);

  private static RestRoute route(Role role) {
    return new RestRoute(
        HttpMethod.PUT,
        "/caches/{cache}/x",
        role,
        0,
        RouteDescription.of("change" + role, "tag", "text"),
        call -> CompletableFuture.completedFuture(RestResponse.noContent()));
  }

  /** A disk that may be full. */
  private static final class Disk extends ArrayList<String> implements AuditSink {

    private static final long serialVersionUID = 1L;
    private boolean full;

    @Override
    public void write(String line) throws IOException {
      if (full) {
        throw new IOException("no space left");
      }
      add(line);
    }

    @Override
    public void close() {}
  }

  private final Disk disk = new Disk();
  private final AccessFilter accessFilter =
      new AccessFilter(
          new OriginPolicy(Set.of("h"), Set.of()),
          new Authentication(
              Optional.of(
                  new StaticTokens(Map.of("me", TOKEN::toCharArray, "they", THEIRS::toCharArray))),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              List.of()),
          () -> AccessPolicy.everythingFor("token:me"),
          2,
          new Audit(disk, System::nanoTime),
          InstantSource.system());

  private CompletionStage<RestResponse> authorize(
      RestRoute route, String token, Function<RestCaller, CompletionStage<RestResponse>> on) {
    Map<String, List<String>> headers =
        Map.of("host", List.of("h"), "authorization", List.of("Bearer " + token));
    return accessFilter.authorize(
        new RequestHead(
            "PUT",
            "/caches/c/x",
            Map.of("cache", "c", "lock", "l"),
            Map.of(),
            headers,
            false,
            "",
            List.of()),
        route,
        on);
  }

  private static CompletionStage<RestResponse> done() {
    return CompletableFuture.completedFuture(RestResponse.noContent());
  }

  private ProblemType refused(
      RestRoute route, String token, Function<RestCaller, CompletionStage<RestResponse>> on) {
    try {
      throw new AssertionError(authorize(route, token, on).toCompletableFuture().join());
    } catch (CompletionException e) {
      return ((ProblemException) e.getCause()).problem().type();
    }
  }

  @Test
  void aPlaceIsGivenBackHoweverARequestEnds() {
    for (int i = 0; i < 5; i++) {
      assertThat(
              refused(
                  CHANGE,
                  TOKEN,
                  caller -> {
                    throw new IllegalStateException("at once");
                  }))
          .isEqualTo(ProblemType.CONFLICT);
      assertThat(
              refused(
                  CHANGE,
                  TOKEN,
                  caller -> CompletableFuture.failedFuture(new AssertionError("later"))))
          .isEqualTo(ProblemType.INTERNAL);
    }
    disk.full = true;
    for (int i = 0; i < 5; i++) {
      assertThat(refused(CHANGE, TOKEN, caller -> done())).isEqualTo(ProblemType.NOT_READY);
    }
    for (int i = 0; i < 200; i++) { // More than may wait for authentication.
      assertThat(refused(CHANGE, "wrong", caller -> done())).isEqualTo(ProblemType.UNAUTHENTICATED);
    }
  }

  @Test
  void nothingIsChangedWhileNobodyCouldBeToldOfItAndReadingGoesOn() {
    AtomicInteger changed = new AtomicInteger();
    disk.full = true;

    for (Role role : new Role[] {Role.ADMIN, Role.WRITE}) {
      refused(CHANGE, TOKEN, caller -> done());
      assertThat(
              refused(
                  route(role),
                  TOKEN,
                  caller -> {
                    changed.incrementAndGet();
                    return done();
                  }))
          .isEqualTo(ProblemType.NOT_READY);
    }

    assertThat(changed).hasValue(0);
    assertThat(authorize(route(Role.READ), TOKEN, caller -> done())).isCompleted();
  }

  @Test
  void theAuditLogNamesTheCacheAndTheLockOfAChange() {
    authorize(route(Role.ADMIN), TOKEN, caller -> done());

    assertThat(disk).hasSize(2).allMatch(line -> line.contains("\"cache\":\"c\",\"lock\":\"l\""));
  }

  @Test
  void aFailureThatNobodyForesawMayHaveComeAfterTheChange() {
    refused(CHANGE, TOKEN, caller -> CompletableFuture.failedFuture(new AssertionError("odd")));
    refused(
        CHANGE,
        TOKEN,
        caller -> CompletableFuture.failedFuture(Problem.of(ProblemType.CONFLICT, "in the way")));

    assertThat(disk).hasSize(4);
    assertThat(disk.get(1)).contains("\"outcome\":\"unknown\"", "\"problem\":\"internal\"");
    assertThat(disk.get(3)).contains("\"outcome\":\"refused\"", "\"problem\":\"conflict\"");
  }

  @Test
  void whoWasRefusedIsWrittenDownAlsoWhereNothingWouldHaveBeenChanged() {
    assertThat(refused(route(Role.READ), THEIRS, caller -> done()))
        .isEqualTo(ProblemType.FORBIDDEN);

    assertThat(disk)
        .singleElement()
        .asString()
        .contains("\"caller\":\"token:they\"", "\"outcome\":\"refused\"", "forbidden");
  }
}
