package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Conditions on entries that several services write. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class ConditionalWriteTest {

  private static final String ENTRY = "/caches/c/entries/k";
  private static final int ROUNDS = 60;

  private final RestFixture restFixture = new RestFixture();

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  /** A service remembers its last write, which another service may have overwritten. */
  @Test
  void aConditionIsCheckedOnWhatIsThereAndNotOnWhatTheServiceRemembers() throws Exception {
    restFixture.json(
        "POST", "/caches", "{\"name\": \"c\", \"consistency\": \"MWMR\", \"replication\": 3}");
    List<URI> services = List.of(restFixture.service.address(), restFixture.another());
    String etag = tag(restFixture.call("PUT", ENTRY, "first".getBytes()));

    for (int i = 0; i < ROUNDS; i++) {
      URI service = services.get(i / 2 % 2); // Two in a row, so that the first one is remembered.
      etag = tag(restFixture.call(service, "PUT", ENTRY, ("v" + i).getBytes(), "If-Match", etag));
    }
  }

  private static String tag(HttpResponse<byte[]> answer) {
    assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(204);
    return answer.headers().firstValue("ETag").orElseThrow();
  }

  @ParameterizedTest
  @ValueSource(strings = {"WEAK", "SWMR", "MWMR"})
  void aConditionalWriteThatCreatesAnEntryIsAnswered201(String mode) throws Exception {
    restFixture.json(
        "POST", "/caches", "{\"name\": \"c\", \"consistency\": \"%s\"}".formatted(mode));
    String[] otherTag = {"If-None-Match", "\"97d4\""};

    HttpResponse<byte[]> created = restFixture.call("PUT", ENTRY, "v".getBytes(), otherTag);
    HttpResponse<byte[]> again = restFixture.call("PUT", ENTRY, "w".getBytes(), otherTag);
    HttpResponse<byte[]> unconditional =
        restFixture.call("PUT", "/caches/c/entries/new", "v".getBytes());

    assertThat(created.statusCode()).isEqualTo(201);
    assertThat(created.headers().firstValue("Location")).contains(ENTRY);
    assertThat(again.statusCode()).isEqualTo(204);
    assertThat(unconditional.statusCode()).isEqualTo(204);
  }
}
