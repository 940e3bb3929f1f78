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
class ConditionsTest {

  private static final String ENTRY = "/caches/c/entries/k";
  private static final int ROUNDS = 60;

  private final Served served = new Served();

  @AfterEach
  void close() throws Exception {
    served.close();
  }

  /** What a service has written last it remembers, and another may have written over it. */
  @Test
  void aConditionIsCheckedOnWhatIsThereAndNotOnWhatTheServiceRemembers() throws Exception {
    served.json(
        "POST", "/caches", "{\"name\": \"c\", \"consistency\": \"MWMR\", \"replication\": 3}");
    List<URI> services = List.of(served.service.address(), served.another());
    String etag = tag(served.call("PUT", ENTRY, "first".getBytes()));

    for (int i = 0; i < ROUNDS; i++) {
      URI service = services.get(i / 2 % 2); // Two in a row, so that the first one is remembered.
      etag = tag(served.call(service, "PUT", ENTRY, ("v" + i).getBytes(), "If-Match", etag));
    }
  }

  private static String tag(HttpResponse<byte[]> answer) {
    assertThat(answer.statusCode()).as(new String(answer.body())).isEqualTo(204);
    return answer.headers().firstValue("ETag").orElseThrow();
  }
}
