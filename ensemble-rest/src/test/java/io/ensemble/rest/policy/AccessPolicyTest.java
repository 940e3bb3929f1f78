package io.ensemble.rest.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.Role;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AccessPolicyTest {

  @ParameterizedTest
  @CsvSource({
    "orders, orders, true",
    "orders, order, false",
    "orders, orders2, false",
    "*, orders, true",
    "team-*, team-a, true",
    "team-*, team-, true",
    "team-*, tea, false",
    "*-log, a-log-log, true",
    "a*b*c, axxbxxc, true",
    "a*b*c, axxcxxb, false",
    "a*, A, false",
    "?, a, false",
  })
  void aNameIsExactOrHasStars(String pattern, String name, boolean matches) {
    assertThat(new Glob(pattern).matches(name)).isEqualTo(matches);
  }

  @Test
  void manyStarsTakeABoundedTime() {
    assertThat(new Glob("*a".repeat(200) + "b").matches("a".repeat(2_000))).isFalse();
  }

  @Test
  void whatIsNotGrantedIsDenied() {
    AccessPolicy policy =
        AccessPolicyText.read(
            """
            {"grants": [
              {"who": ["user:ada", "claim:groups=ops"], "caches": ["team-*"], "roles": ["read"]},
              {"who": ["user:ada"], "caches": ["orders"], "roles": ["write"]},
              {"who": ["certificate:ops"], "federation": ["admin"]}
            ]}\
            """
                .getBytes());

    RoleGrants ada = policy.of(CallerIdentity.of("user", "ada"));
    assertThat(ada.hasRoleInCache(Role.READ, "team-a")).isTrue();
    assertThat(ada.hasRoleInCache(Role.WRITE, "orders")).isTrue();
    assertThat(ada.hasRoleInCache(Role.READ, "orders")).isFalse();
    assertThat(ada.hasRoleInCache(Role.SEE, "orders")).isTrue();
    assertThat(ada.hasRoleInCache(Role.SEE, "ledger")).isFalse();
    assertThat(ada.hasRoleInFederation(Role.SEE)).isFalse();
    RoleGrants ops = policy.of(new CallerIdentity("jwt:eve", Set.of("claim:groups=ops")));
    assertThat(ops.hasRoleInCache(Role.READ, "team-a")).isTrue();
    RoleGrants administrator = policy.of(CallerIdentity.of("certificate", "ops"));
    assertThat(administrator.hasRoleInCache(Role.ADMIN, "anything")).isTrue();
    assertThat(administrator.hasRoleInCache(Role.READ, "anything")).isFalse();
    assertThat(administrator.hasRoleInFederation(Role.READ)).isTrue();
    assertThat(policy.of(CallerIdentity.of("jwt", "ada")).hasRoleAnywhere(Role.SEE)).isFalse();
    assertThat(policy.of(CallerIdentity.of("user", "ops")).hasRoleAnywhere(Role.SEE)).isFalse();
  }

  @Test
  void aNameOfSomebodyIsExact() {
    AccessPolicy policy =
        AccessPolicyText.read(
            "{\"grants\": [{\"who\": [\"user:ada*\", \"user:bob\"], \"federation\": [\"admin\"]}]}"
                .getBytes());

    assertThat(policy.of(CallerIdentity.of("user", "bob")).hasRoleAnywhere(Role.ADMIN)).isTrue();
    for (String other : new String[] {"bobby", "Bob", "bo", "ada", "adam"}) {
      assertThat(policy.of(CallerIdentity.of("user", other)).hasRoleAnywhere(Role.SEE))
          .as(other)
          .isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "{\"grant\": []}",
        "{\"grants\": [{}]}",
        "{\"grants\": [{\"who\": [\"user:a\"], \"caches\": [\"c\"]}]}",
        "{\"grants\": [{\"who\": [\"user:a\"], \"caches\": [], \"roles\": [\"read\"]}]}",
        "{\"grants\": [{\"who\": [\"user:a\"], \"caches\": [\"\"], \"roles\": [\"read\"]}]}",
        "{\"grants\": [{\"who\": [\"user:a\"], \"caches\": [\"c\"], \"roles\": [\"see\"]}]}",
        "{\"grants\": [{\"who\": [\"user:a\"], \"caches\": [\"c\"], \"roles\": [\"none\"]}]}",
        "{\"grants\": [{\"who\": [\"ada\"], \"caches\": [\"c\"], \"roles\": [\"read\"]}]}",
        "{\"grants\": [{\"who\": [], \"caches\": [\"c\"], \"roles\": [\"read\"]}]}",
        "{\"grants\": [{\"who\": [\"user:a\"], \"caches\": [\"c\"], \"roles\": [\"read\"],"
            + " \"until\": 1}]}",
        "{\"grants\": [{\"who\": [\"user:a\"], \"federation\": [\"write\"]}]}",
        "{\"grants\": [{\"who\": [\"user:a\"], \"federation\": [\"read\"], \"caches\": [\"c\"]}]}",
      })
  void whatCannotBeMeantIsRefused(String json) {
    assertThatThrownBy(() -> AccessPolicyText.read(json.getBytes()))
        .isInstanceOf(ProblemException.class);
  }
}
