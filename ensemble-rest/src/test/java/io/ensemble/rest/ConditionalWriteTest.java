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
}
