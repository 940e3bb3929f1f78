package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import io.ensemble.rest.http.RequestAuthorizer;
import io.ensemble.rest.http.RestCaller;
import java.net.Socket;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Passwords are accepted over TLS only, and own pages are those of the same protocol. */
@Timeout(60)
class RequestInClearTextTest {

  @Test
  void theRequestLineMakesNoRequestSecure() throws Exception {
    Queue<Boolean> secure = new ConcurrentLinkedQueue<>();
    RequestAuthorizer requestAuthorizer =
        (head, route, admit) -> {
          secure.add(head.secure());
          return admit.apply(RestCaller.ANYBODY);
        };
    try (RestFixture restFixture = new RestFixture(RestLimits.DEFAULT, requestAuthorizer);
        Socket socket = new Socket("127.0.0.1", restFixture.service.address().getPort())) {
      socket.setSoTimeout(60_000);
      RawHttp.send(
          socket,
          "GET https://127.0.0.1/sites HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
      socket.getInputStream().readAllBytes();

      assertThat(secure).containsExactly(false);
    }
  }
}
