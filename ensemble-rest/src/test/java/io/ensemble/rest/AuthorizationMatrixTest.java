package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.DistributedEnsembleCache;
import io.ensemble.Mode;
import io.ensemble.rest.audit.Audit;
import io.ensemble.rest.audit.AuditLog;
import io.ensemble.rest.gate.AccessFilter;
import io.ensemble.rest.gate.OriginPolicy;
import io.ensemble.rest.http.RestRoute;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.http.RoleScope;
import io.ensemble.rest.identity.Authentication;
import io.ensemble.rest.identity.StaticTokens;
import io.ensemble.rest.policy.AccessPolicy;
import io.ensemble.rest.policy.AccessPolicy.Grant;
import io.ensemble.rest.resource.ResourceRoutes;
import io.ensemble.rest.resource.context.BlockingTaskPool;
import io.ensemble.rest.resource.context.RestContext;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Every route admits every caller exactly as the table says, and nothing leaks meanwhile. */
@Timeout(180)
@Isolated("reads what the whole process logs")
class AuthorizationMatrixTest {

  /** Operations of a cache, of its parts, and of a site; the last one needs federation roles. */
  private static final List<String> OPERATIONS =
      List.of(
          "change.1.0123456789abcdef.01234567.mine",
          "parts.1.0123456789abcdef.01234567.mine",
          "drain.lyon",
          "recover.lyon",
          "clear.mine");

  /** Operations that change nothing, although their method could. */
  private static final Set<String> READS_BY_POST = Set.of("getEntries");

  private static final String WRONG = "a-token-that-nobody-has-been-given-by-anyone";

  /** A caller and its roles, kept separately from the authorizer under test. */
  private record Somebody(String name, Set<Role> ofMine, Set<Role> federation) {

    String token() {
      return "secret-%s-abcdefghijklmnopqrstuvwxyz-0123456789".formatted(name);
    }
  }

  private static final Set<Role> NONE = Set.of();

  private static List<Somebody> everybody() {
    List<Somebody> all = new ArrayList<>();
    for (Role role : EnumSet.of(Role.READ, Role.WRITE, Role.LISTEN, Role.ADMIN)) {
      all.add(new Somebody("mine-" + role, Set.of(role), NONE));
      all.add(new Somebody("theirs-" + role, NONE, NONE));
      if (role != Role.WRITE) {
        all.add(new Somebody("federation-" + role, NONE, Set.of(role)));
      }
    }
    all.add(new Somebody("without", NONE, NONE));
    return all;
  }

  private static AccessFilter gate() {
    List<Grant> grants = new ArrayList<>();
    Map<String, Supplier<char[]>> tokens = new LinkedHashMap<>();
    for (Somebody one : everybody()) {
      String who = "token:" + one.name();
      tokens.put(one.name(), () -> one.token().toCharArray());
      if (!one.ofMine().isEmpty()) {
        grants.add(new Grant(Set.of(who), List.of("mine"), one.ofMine()));
      }
      if (!one.federation().isEmpty()) {
        grants.add(new Grant(Set.of(who), List.of(), one.federation()));
      }
      if (one.name().startsWith("theirs-")) {
        Role role = Role.valueOf(one.name().substring("theirs-".length()));
        grants.add(new Grant(Set.of(who), List.of("theirs*"), Set.of(role)));
      }
    }
    AccessPolicy policy = new AccessPolicy(grants);
    return new AccessFilter(
        new OriginPolicy(OriginPolicy.LOOPBACK, Set.of()),
        new Authentication(
            Optional.of(new StaticTokens(tokens)),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            List.of()),
        () -> policy,
        8,
        new Audit(new AuditLog(), System::nanoTime),
        InstantSource.system());
  }

  /** A line of the table. */
  private record Line(String id, String method, String path, Role role, RoleScope scope) {

    static Line of(RestRoute route) {
      return new Line(route.id(), route.method().name(), route.path(), route.role(), route.scope());
    }

    boolean isListing() {
      return scope == RoleScope.EACH && !path.contains("{");
    }
  }

  private static Map<String, Line> table() throws IOException {
    Map<String, Line> all = new TreeMap<>();
    try (InputStream file =
        AuthorizationMatrixTest.class.getResourceAsStream("authorization.txt")) {
      new String(file.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> line.split(" "))
          .map(
              words ->
                  new Line(
                      words[0],
                      words[1],
                      words[2],
                      Role.valueOf(words[3]),
                      RoleScope.valueOf(words[4])))
          .forEach(line -> all.put(line.id(), line));
    }
    return all;
  }

  /** The rule, implemented a second time from the documentation. */
  private static boolean isAllowed(Somebody who, Line line, String operation) {
    boolean isOfSite = line.path().contains("{operation}") && operation.endsWith(".lyon");
    boolean federationWide = line.scope() == RoleScope.FEDERATION || isOfSite;
    boolean isAdmin = who.federation().contains(Role.ADMIN);
    return switch (line.role()) {
      case NONE -> true;
      case SEE ->
          line.isListing()
              ? hasAny(who)
              : isOfSite
                  ? isAdmin || who.federation().contains(Role.READ)
                  : !who.ofMine().isEmpty() || !who.federation().isEmpty();
      case ADMIN -> isAdmin || (!federationWide && who.ofMine().contains(Role.ADMIN));
      case READ ->
          federationWide
              ? isAdmin || who.federation().contains(Role.READ)
              : who.ofMine().contains(Role.READ);
      default -> (federationWide ? who.federation() : who.ofMine()).contains(line.role());
    };
  }

  private static boolean hasAny(Somebody who) {
    return !who.name().equals("without");
  }

  private static List<RestRoute> routes(RestFixture served) {
    try (BlockingTaskPool blockingTaskPool = new BlockingTaskPool(1, 1)) {
      return ResourceRoutes.createAll(
          new RestContext(served.manager, blockingTaskPool, RestLimits.DEFAULT),
          new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
    }
  }

  private static HttpResponse<byte[]> ask(
      RestFixture served, RestRoute route, String operation, String... headers) throws Exception {
    String path =
        route
            .path()
            .replace("{cache}", "mine")
            .replace("{operation}", operation)
            .replaceAll("\\{[a-z]+}", "something");
    if (route.path().equals("/events")) {
      path += "?kinds=none"; // An admitted caller would receive events for ever.
    }
    if (route.path().equals("/caches/{cache}/events")) {
      path += "?key="; // The same.
    }
    List<String> all = new ArrayList<>(List.of(headers));
    byte[] body = {};
    if (route.maxBodyBytes() > 0) {
      all.addAll(List.of("Content-Type", "application/json"));
      body = "{\"name\": \"mine\", \"nonsense\": 1}".getBytes();
      if (route.id().equals("createCache")) {
        body = "{\"name\": \"mine\", \"sites\": [\"nowhere\"]}".getBytes();
      }
    }
    return served.call(route.method().name(), path, body, all.toArray(String[]::new));
  }

  @Test
  void theTableNamesEveryRouteAndNoOther() throws Exception {
    try (RestFixture served = new RestFixture(RestLimits.DEFAULT, gate())) {
      assertThat(routes(served).stream().map(Line::of))
          .containsExactlyInAnyOrderElementsOf(table().values());
      assertThat(table().values())
          .filteredOn(line -> !line.method().equals("GET") && !READS_BY_POST.contains(line.id()))
          .allMatch(line -> line.role() == Role.WRITE || line.role() == Role.ADMIN);
    }
  }

  @Test
  void everyRouteLetsInExactlyThoseWhomTheTableNames() throws Exception {
    Map<String, Line> table = table();
    try (LogCapture log = new LogCapture();
        RestFixture served = new RestFixture(RestLimits.DEFAULT, gate())) {
      List<String> wrong = new ArrayList<>();
      int asked = 0;

      for (RestRoute route : routes(served)) {
        Line line = table.get(route.id());
        boolean isOfOperation = route.path().contains("{operation}");
        for (String operation : isOfOperation ? OPERATIONS : OPERATIONS.subList(0, 1)) {
          for (Somebody who : everybody()) {
            int status =
                ask(served, route, operation, "Authorization", "Bearer " + who.token())
                    .statusCode();
            asked++;
            if (status == 401 || (status != 403) != isAllowed(who, line, operation)) {
              wrong.add("%s %s by %s: %d".formatted(line.id(), operation, who, status));
            }
          }
        }
        for (String[] unknown :
            new String[][] {{}, {"Authorization", "Bearer " + WRONG}, {"Authorization", "x"}}) {
          HttpResponse<byte[]> answer = ask(served, route, OPERATIONS.get(0), unknown);
          boolean open = line.role() == Role.NONE;
          if (open == (answer.statusCode() == 401)
              || open == answer.headers().firstValue("WWW-Authenticate").isPresent()) {
            wrong.add("%s by nobody: %d".formatted(route.path(), answer.statusCode()));
          }
        }
      }

      assertThat(wrong).isEmpty();
      assertThat(asked).isGreaterThan(400);
      assertThat(log.lines()).hasSizeGreaterThan(100);
      assertThat(log.lines()).noneMatch(line -> line.contains("secret-") || line.contains(WRONG));
    }
  }

  @Test
  void whoMayNotSeeACacheIsNotToldWhetherItIsThere() throws Exception {
    try (RestFixture served = new RestFixture(RestLimits.DEFAULT, gate())) {
      String admin = new Somebody("federation-ADMIN", NONE, NONE).token();
      served.json(
          "POST",
          "/caches",
          "{\"name\": \"mine\", \"sites\": [\"lyon\"]}",
          "Authorization",
          "Bearer " + admin);
      String theirs = "Bearer " + new Somebody("theirs-READ", NONE, NONE).token();

      for (String path : List.of("/caches/%s", "/caches/%s/entries/k", "/caches/%s/entries")) {
        String there = text(served.get(path.formatted("mine"), "Authorization", theirs));
        String gone = text(served.get(path.formatted("gone"), "Authorization", theirs));
        assertThat(there).contains("/problems/forbidden");
        assertThat(there.replace("mine", "gone")).isEqualTo(gone);
      }
      assertThat(text(served.get("/caches", "Authorization", theirs))).isEqualTo("{\"caches\":[]}");
      assertThat(text(served.get("/caches", "Authorization", "Bearer " + admin)))
          .contains("\"mine\"");
    }
  }

  @Test
  void aPartIsTakenByItsAdministratorsOnly() throws Exception {
    try (RestFixture served = new RestFixture(RestLimits.DEFAULT, gate())) {
      String body = "{\"name\": \"mine\", \"caches\": [\"%s\"]}";
      String mine = "Bearer " + new Somebody("mine-ADMIN", NONE, NONE).token();

      HttpResponse<byte[]> foreign =
          served.json("POST", "/caches", body.formatted("theirs"), "Authorization", mine);

      assertThat(foreign.statusCode()).isEqualTo(403);
    }
  }

  @Test
  void aCacheWithShardsBelongsToItsOwnAdministrator() throws Exception {
    try (RestFixture served = new RestFixture(RestLimits.DEFAULT, gate())) {
      String mine = "Bearer " + new Somebody("mine-ADMIN", NONE, NONE).token();
      served.manager.createCache(CacheDefinition.of("theirs", Mode.MWMR).sites("lyon").build());
      DistributedEnsembleCache<String, Long> sharded =
          served.manager.createSharded(
              CacheDefinition.of("mine", Mode.MWMR).sites("lyon").build(), 2);
      String shard = sharded.distribution().parts().get(0);

      assertThat(
              served
                  .call("DELETE", "/caches/theirs", new byte[0], "Authorization", mine)
                  .statusCode())
          .isEqualTo(403);
      assertThat(served.get("/caches/" + shard, "Authorization", mine).statusCode()).isEqualTo(403);
      assertThat(
              served
                  .call("DELETE", "/caches/mine", new byte[0], "Authorization", mine)
                  .statusCode())
          .isEqualTo(204);
      assertThat(served.manager.getCacheNames()).containsExactly("theirs");
    }
  }

  @Test
  void aRequestForAnotherHostOrFromAnotherPageIsRefused() throws Exception {
    try (RestFixture served = new RestFixture(RestLimits.DEFAULT, gate())) {
      String token = "Bearer " + new Somebody("mine-READ", NONE, NONE).token();
      String here = served.service.address().toString();

      assertThat(
              served
                  .get("/caches", "Authorization", token, "Origin", "http://evil.example")
                  .statusCode())
          .isEqualTo(403);
      HttpResponse<byte[]> own = served.get("/caches", "Authorization", token, "Origin", here);
      assertThat(own.statusCode()).isEqualTo(200);
      assertThat(own.headers().map().keySet())
          .noneMatch(name -> name.toLowerCase().startsWith("access-control"));
      assertThat(
              RawHttp.status(
                  served.service.address(), "GET /caches HTTP/1.1\r\nHost: evil.example"))
          .isEqualTo(403);
    }
  }

  private static String text(HttpResponse<byte[]> answer) {
    return new String(answer.body());
  }
}
