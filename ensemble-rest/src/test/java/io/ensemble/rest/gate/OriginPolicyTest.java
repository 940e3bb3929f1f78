package io.ensemble.rest.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.RequestHead;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** From which pages a browser may send requests to the service. */
class OriginPolicyTest {

  private static final OriginPolicy ORIGINS =
      new OriginPolicy(Set.of("rest.example"), Set.of("https://front.example"));

  private static boolean passes(String method, boolean isPublic, String... headers) {
    Map<String, List<String>> all = new HashMap<>(Map.of("host", List.of("rest.example")));
    for (int i = 0; i < headers.length; i += 2) {
      all.put(headers[i], List.of(headers[i + 1]));
    }
    return passes(method, isPublic, all);
  }

  private static boolean passes(String method, boolean isPublic, Map<String, List<String>> all) {
    try {
      ORIGINS.check(
          new RequestHead(method, "/", Map.of(), Map.of(), all, true, "10.0.0.1", List.of()),
          isPublic);
      return true;
    } catch (ProblemException refused) {
      return false;
    }
  }

  @Test
  void aPageElsewhereMayLeadToThePublicPageAndReadsNothingElse() {
    assertThat(passes("GET", true, "sec-fetch-site", "cross-site")).isTrue();
    assertThat(passes("GET", false, "sec-fetch-site", "cross-site")).isFalse();
    assertThat(passes("GET", false, "sec-fetch-site", "same-site")).isFalse();
    assertThat(passes("POST", true, "sec-fetch-site", "cross-site")).isFalse();
    assertThat(passes("GET", false, "sec-fetch-site", "same-origin")).isTrue();
    assertThat(passes("GET", false, "sec-fetch-site", "none")).isTrue();
    assertThat(passes("GET", false)).isTrue();
  }

  @Test
  void whatIsKeptHereIsNoScriptNorStyleNorFrameOfAnyPage() {
    for (String use : List.of("script", "style", "image", "iframe", "object", "worker")) {
      String[] headers = {"sec-fetch-site", "same-origin", "sec-fetch-dest", use};
      assertThat(passes("GET", false, headers)).as(use).isFalse();
      assertThat(passes("GET", true, headers)).as(use).isTrue();
    }
    assertThat(passes("GET", false, "sec-fetch-site", "none", "sec-fetch-dest", "document"))
        .isTrue();
    assertThat(passes("GET", false, "sec-fetch-site", "same-origin", "sec-fetch-dest", "empty"))
        .isTrue();
  }

  /** A page whose host was made to resolve to this service (DNS rebinding) names its own host. */
  @Test
  void aRequestIsForOneHostThatIsOurs() {
    for (String ours :
        List.of("rest.example", "REST.Example:8443", "rest.example.", " rest.example")) {
      assertThat(passes("GET", false, "host", ours)).as(ours).isTrue();
    }
    for (String other :
        List.of("", "rest.example.evil", "evil.rest.example", "rest.exampl", "a@rest.example")) {
      assertThat(passes("GET", true, "host", other)).as(other).isFalse();
    }
    for (String header : List.of("host", "origin", "sec-fetch-site", "sec-fetch-dest")) {
      Map<String, List<String>> twice = new HashMap<>(Map.of("host", List.of("rest.example")));
      twice.put(header, List.of(header.equals("host") ? "rest.example" : "", "evil.example"));
      assertThat(passes("GET", false, twice)).as(header).isFalse();
    }
  }

  @Test
  void anOriginIsOursWithItsSchemeAndPort() {
    String[] port = {"host", "rest.example:8443", "origin", ""};
    for (String other :
        List.of(
            "null",
            "http://rest.example:8443",
            "https://rest.example",
            "https://rest.example:8443.evil",
            "https://evil.example/https://rest.example:8443")) {
      port[3] = other;
      assertThat(passes("POST", false, port)).as(other).isFalse();
    }
    port[3] = "https://rest.example:8443";
    assertThat(passes("POST", false, port)).isTrue();
  }

  @Test
  void aListedOriginProvesWhoAsksByWhatNoBrowserAdds() {
    String[] listed = {"origin", "https://front.example"};

    assertThat(passes("POST", false, listed)).isFalse();
    assertThat(passes("POST", false, listed[0], listed[1], "authorization", "Basic YTpi"))
        .isFalse();
    assertThat(passes("POST", false, listed[0], listed[1], "authorization", "Bearer t")).isTrue();
    assertThat(passes("POST", false, listed[0], listed[1], "sec-fetch-site", "same-origin"))
        .isTrue();
    assertThat(passes("POST", false, "origin", "https://evil.example", "authorization", "Bearer t"))
        .isFalse();
    assertThat(passes("POST", false, "origin", "https://rest.example")).isTrue();
  }
}
