package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.http.AuthorizedRequest;
import io.ensemble.rest.http.ProblemException;
import io.ensemble.rest.http.RequestHead;
import io.ensemble.rest.http.RestCaller;
import io.ensemble.rest.json.StrictJson;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Requests as the service receives them, and the results that are allowed for them. */
public final class FuzzRequests {

  private static final int CLIENT_ERRORS = 400;
  private static final int SERVER_ERRORS = 500;

  private FuzzRequests() {}

  /** A request with {@code body}. */
  public static AuthorizedRequest with(byte[] body) {
    return new AuthorizedRequest("", head(Map.of()), RestCaller.ANYBODY, body);
  }

  /** A request with headers, whose names are in lower case. */
  public static AuthorizedRequest with(Map<String, List<String>> headers) {
    return new AuthorizedRequest("", head(headers), RestCaller.ANYBODY, new byte[0]);
  }

  private static RequestHead head(Map<String, List<String>> headers) {
    return new RequestHead(
        "POST", "/caches", Map.of("cache", "c"), Map.of(), headers, false, "127.0.0.1", List.of());
  }

  /** Bytes as Jetty hands over headers and paths. */
  public static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /**
   * The result of {@code reading}; empty if it refuses the request as a mistake of the caller, with
   * a document that can be sent. Any other exception is a fault.
   */
  public static <T> Optional<T> read(Supplier<T> reading) {
    try {
      return Optional.of(reading.get());
    } catch (ProblemException refused) {
      byte[] document = refused.problem().reply("/caches").body();
      assertThat(refused.problem().type().status()).isBetween(CLIENT_ERRORS, SERVER_ERRORS - 1);
      assertThat(StrictJson.parse(document).get("detail").textValue()).isNotBlank();
      return Optional.empty();
    }
  }
}
