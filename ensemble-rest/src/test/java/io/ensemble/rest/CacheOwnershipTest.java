package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.http.Permissions;
import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.policy.RoleGrants;
import io.ensemble.rest.policy.RoleGrants.OfCaches;
import java.net.http.HttpResponse;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A caller gains no rights, for itself or others, through a cache of its own. */
@Timeout(180)
class CacheOwnershipTest {

  private static final String WHOLE = "{\"name\": \"ada-x\", \"caches\": [\"%s\"]}";

  private volatile RestCaller caller = RestCaller.ANYBODY;
  private final RequestAuthorizer requestAuthorizer = (head, route, on) -> on.apply(caller);
  private final RestFixture restFixture = new RestFixture(RestLimits.DEFAULT, requestAuthorizer);

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private void is(Set<Role> ofOrders, Set<Role> federation) {
    Permissions given =
        new RoleGrants(
            List.of(
                new OfCaches(List.of("ada-*"), EnumSet.allOf(Role.class)),
                new OfCaches(List.of("orders"), ofOrders)),
            federation);
    caller = new RestCaller("user:ada", given);
  }

  private int create(String name) throws Exception {
    String body = "{\"name\": \"%s\", \"sites\": [\"lyon\"]}";
    return restFixture.json("POST", "/caches", body.formatted(name)).statusCode();
  }

  @Test
  void anAdministratorReadsNoEntriesByMakingTheCacheAPart() throws Exception {
    assertThat(create("orders")).isEqualTo(201);
    for (Set<Role> ofOrders :
        List.of(Set.of(Role.ADMIN), EnumSet.of(Role.ADMIN, Role.READ), Set.<Role>of())) {
      for (Set<Role> federation : List.of(Set.<Role>of(), Set.of(Role.ADMIN))) {
        is(ofOrders, federation);

        HttpResponse<byte[]> refused =
            restFixture.json("POST", "/caches", WHOLE.formatted("orders"));

        assertThat(refused.statusCode()).as("%s %s", ofOrders, federation).isEqualTo(403);
      }
    }
    is(EnumSet.of(Role.ADMIN, Role.READ, Role.WRITE), Set.of());
    assertThat(restFixture.json("POST", "/caches", WHOLE.formatted("orders")).statusCode())
        .isEqualTo(201);
  }

  @Test
  void norByAddingItToOneThatIsThere() throws Exception {
    assertThat(create("orders")).isEqualTo(201);
    is(Set.of(Role.ADMIN), Set.of(Role.ADMIN));
    assertThat(create("ada-1")).isEqualTo(201);
    assertThat(restFixture.json("POST", "/caches", WHOLE.formatted("ada-1")).statusCode())
        .isEqualTo(201);

    HttpResponse<byte[]> refused =
        restFixture.json("PATCH", "/caches/ada-x", "{\"caches\": [\"ada-1\", \"orders\"]}");

    assertThat(refused.statusCode()).isEqualTo(403);
  }

  @Test
  void twoCallersWithOneIdempotencyKeyHaveTwoCaches() throws Exception {
    String[] key = {"Idempotency-Key", "1"};
    HttpResponse<byte[]> first = restFixture.json("POST", "/caches", "{}", key);
    caller = new RestCaller("user:bob", Permissions.ALL);

    HttpResponse<byte[]> second = restFixture.json("POST", "/caches", "{}", key);
    HttpResponse<byte[]> again = restFixture.json("POST", "/caches", "{}", key);

    assertThat(second.statusCode()).isEqualTo(201);
    assertThat(RestFixture.body(second).get("name"))
        .isNotEqualTo(RestFixture.body(first).get("name"));
    assertThat(RestFixture.body(again)).isEqualTo(RestFixture.body(second));
    assertThat(RestFixture.body(first).get("name").asText()).matches("cache-[0-9a-f]{32}");
  }

  @Test
  void aHolderOfALockIsOfOneCaller() throws Exception {
    restFixture.json("POST", "/caches", "{\"name\": \"ada-l\", \"consistency\": \"MWMR\"}");
    String lock = "/caches/ada-l/locks/l/";
    String holder = "{\"holder\": \"h\"}";
    is(Set.of(), Set.of());
    assertThat(restFixture.json("POST", lock + "acquire", holder).statusCode()).isEqualTo(200);
    caller = new RestCaller("user:bob", Permissions.ALL);

    assertThat(restFixture.json("POST", lock + "acquire", holder).statusCode()).isEqualTo(409);
    assertThat(restFixture.json("POST", lock + "renew", holder).statusCode()).isEqualTo(409);
    assertThat(RestFixture.body(restFixture.json("POST", lock + "release", holder)).get("released"))
        .hasToString("false");
    is(Set.of(), Set.of());
    assertThat(restFixture.json("POST", lock + "renew", holder).statusCode()).isEqualTo(200);
  }
}
