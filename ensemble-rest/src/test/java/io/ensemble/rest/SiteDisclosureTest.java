package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.CacheDefinition;
import io.ensemble.Mode;
import io.ensemble.catalog.UnknownSitesException;
import io.ensemble.catalog.definition.StoredDefinition;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.rest.http.Problem;
import io.ensemble.rest.http.ProblemMapper;
import io.ensemble.rest.http.ProblemType;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.http.Role;
import io.ensemble.rest.policy.RoleGrants;
import io.ensemble.rest.policy.RoleGrants.OfCaches;
import io.ensemble.site.SiteException;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers of a cache see neither error details of sites nor which sites exist. */
@Timeout(180)
@Isolated("reads what the whole process logs")
class SiteDisclosureTest {

  private static final String WORDS = "as the test requires it";

  private volatile RestCaller caller = RestCaller.ANYBODY;
  private final RestFixture restFixture =
      new RestFixture(RestLimits.DEFAULT, (head, route, on) -> on.apply(caller));

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private String told(String method, String path, String json) throws Exception {
    return new String(
        (json.isEmpty() ? restFixture.get(path) : restFixture.json(method, path, json)).body());
  }

  private void is(Set<Role> federation) {
    List<OfCaches> caches =
        List.of(new OfCaches(List.of("c", "d"), EnumSet.of(Role.READ, Role.WRITE, Role.ADMIN)));
    caller = new RestCaller("user:ada", new RoleGrants(caches, federation));
  }

  @Test
  void whatASiteSaysIsForThoseWhoReadTheFederation() throws Exception {
    restFixture.json("POST", "/caches", "{\"name\": \"c\", \"sites\": [\"lyon\"]}");
    restFixture.sites.get("lyon").mood = MemorySite.Mood.GONE;
    String create = "{\"name\": \"d\", \"sites\": [\"lyon\"], \"consistency\": \"MWMR\"}";

    is(Set.of(Role.READ));
    assertThat(told("GET", "/caches/c/explain/k", "")).contains(WORDS);
    String whole = told("POST", "/caches", create);
    is(Set.of());

    assertThat(told("GET", "/caches/c/entries/k", "")).contains("/problems/").doesNotContain(WORDS);
    assertThat(told("GET", "/caches/c/explain/k", ""))
        .contains("\"site\":\"lyon\"", "\"answered\":false")
        .doesNotContain(WORDS);
    String inShort = told("POST", "/caches", create);
    assertThat(whole).contains("/problems/sites-unavailable", WORDS);
    assertThat(inShort)
        .contains("/problems/sites-unavailable", "\"silent\":{\"lyon\":\"did not answer\"}")
        .doesNotContain(WORDS);
    assertThat(
            told(
                "POST",
                "/caches/c/bulk/put",
                "{\"entries\": [{\"key\": \"k\", \"value\": \"v\"}]}"))
        .contains("refused")
        .doesNotContain(WORDS);
  }

  @Test
  void whatALoneSiteOrTheCatalogSaysStandsInTheLogUnderAnIncident() {
    try (LogCapture log = new LogCapture()) {
      for (RuntimeException failure :
          List.of(
              new SiteException("lyon", SiteException.Reason.NOT_ALLOWED, WORDS),
              new CatalogException(CatalogException.Reason.UNAVAILABLE, WORDS))) {
        is(Set.of(Role.READ));
        assertThat(ProblemMapper.problem(failure, caller).detail()).contains(WORDS);
        is(Set.of());

        Problem told = ProblemMapper.problem(failure, caller);

        String incident = String.valueOf(told.members().get("incident"));
        assertThat(told.toString()).doesNotContain(WORDS);
        assertThat(log.lines()).anyMatch(line -> line.contains(incident) && line.contains(WORDS));
      }
    }
  }

  @Test
  void whichSitesThereAreIsForThoseWhoReadTheFederation() throws Exception {
    restFixture.json("POST", "/caches", "{\"name\": \"c\", \"replication\": 1}");
    String nowhere = "{\"name\": \"d\", \"sites\": [\"nowhere\"]}";
    String banned = "{\"name\": \"d\", \"ban\": [\"lyon\", \"oslo\", \"rome\"]}";

    is(Set.of(Role.READ));
    assertThat(told("POST", "/caches", nowhere)).contains("lyon", "oslo", "rome");
    assertThat(told("GET", "/caches/c/placement", "")).contains("lyon", "oslo", "rome");
    is(Set.of());

    assertThat(told("POST", "/caches", nowhere)).contains("sites[0]").doesNotContain("lyon");
    assertThat(told("GET", "/caches/c/placement", "")).doesNotContain("reasons", "now");
    assertThat(told("POST", "/caches", banned))
        .contains("/problems/placement-impossible")
        .doesNotContain("lyon");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ban", "prefer"})
  void whoWishesForASiteThatThereIsNotHearsOfOthersOnlyIfTheyMay(String wish) throws Exception {
    String mistyped = "{\"name\": \"d\", \"%s\": [\"rome\", \"nowhere\"]}".formatted(wish);
    String field = "\"field\":\"%s[1]\"".formatted(wish);

    is(Set.of(Role.READ));
    assertThat(told("POST", "/caches", mistyped))
        .contains(field, "\"expected\":\"one of [lyon, oslo, rome]\"", "\"got\":\"nowhere\"");
    is(Set.of());

    assertThat(told("POST", "/caches", mistyped))
        .contains(field, "\"expected\":\"a site of the federation\"", "\"got\":\"nowhere\"")
        .doesNotContain("lyon", "oslo", "rome");
  }

  @Test
  void aMistakeThatIsSeenLaterNamesNoSitesEither() throws Exception {
    UnknownSitesException gone =
        new UnknownSitesException(
            "nowhere; expected one of lyon", Set.of("nowhere"), Set.of("lyon", "oslo"));
    restFixture.catalog.create(
        StoredDefinition.first(
            CacheDefinition.of("c", Mode.WEAK).sites("mars").build(),
            "0000000000ca0000000000b1",
            Map.of()));

    is(Set.of(Role.READ));
    assertThat(ProblemMapper.problem(gone, caller).detail()).contains("lyon");
    assertThat(told("GET", "/caches/c/entries/k", ""))
        .contains("/problems/conflict", "mars", "lyon");
    is(Set.of());

    Problem told = ProblemMapper.problem(gone, caller);
    assertThat(told.type()).isEqualTo(ProblemType.INVALID_FIELD);
    assertThat(told.toString()).contains("nowhere").doesNotContain("lyon", "oslo");
    assertThat(told("GET", "/caches/c/entries/k", ""))
        .contains("/problems/conflict", "mars")
        .doesNotContain("lyon", "oslo", "rome");
    assertThat(
            told(
                "POST",
                "/caches/c/bulk/put",
                "{\"entries\": [{\"key\": \"k\", \"value\": \"v\"}]}"))
        .contains("mars")
        .doesNotContain("lyon", "oslo", "rome");
  }

  @Test
  void aCacheThatTheCallerMayNotSeeIsAsOneThatThereIsNot() throws Exception {
    restFixture.json("POST", "/caches", "{\"name\": \"hidden\", \"sites\": [\"rome\"]}");
    restFixture.json("POST", "/caches", "{\"name\": \"c\", \"sites\": [\"rome\"]}");
    String near = "{\"name\": \"d\", \"near\": [\"c\", \"hidden\"]}";

    is(Set.of());
    String refused = told("POST", "/caches", near);

    assertThat(refused)
        .contains("\"field\":\"near[1]\"")
        .isEqualTo(
            told("POST", "/caches", near.replace("hidden", "nobodys"))
                .replace("nobodys", "hidden"));
    assertThat(restFixture.json("POST", "/caches", near.replace(", \"hidden\"", "")).statusCode())
        .isEqualTo(201);
    is(Set.of(Role.READ));
    assertThat(restFixture.call("DELETE", "/caches/d", new byte[0]).statusCode()).isEqualTo(204);
    assertThat(restFixture.json("POST", "/caches", near).statusCode()).isEqualTo(201);
  }
}
