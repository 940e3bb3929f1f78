package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Findings of fuzzing: such requests are refused as mistakes and leave nothing behind. */
@Timeout(180)
class FuzzFindingsTest {

  private static final String SITE = "{\"name\": \"%s\", \"endpoints\": [\"a:1\"]}";
  private static final RestLimits TWO =
      RestLimits.DEFAULT.toBuilder()
          .requests(2)
          .bodiesBytes(1 << 20)
          .jsonBytes(1 << 16)
          .valueBytes(1 << 16)
          .keyBytes(100)
          .bulkEntries(10)
          .pageEntries(10)
          .pageBytes(1 << 16)
          .workers(2)
          .waiting(2)
          .build();

  private final RestFixture restFixture = new RestFixture(TWO);

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private HttpResponse<byte[]> site(byte[] body) throws Exception {
    return restFixture.call("POST", "/sites", body, "Content-Type", "application/json");
  }

  @ParameterizedTest
  @ValueSource(strings = {"UTF-16BE", "UTF-16LE", "UTF-32BE", "ISO-8859-1"})
  void aBodyThatIsNotUtf8IsRefusedAsOftenAsItComes(String charset) throws Exception {
    byte[] body = SITE.formatted("Orléans").getBytes(Charset.forName(charset));
    byte[] broken = body.clone();
    broken[0] = (byte) 0x90;

    for (int i = 0; i < 5; i++) {
      assertThat(site(body).statusCode()).isEqualTo(400);
      assertThat(site(broken).statusCode()).isEqualTo(400);
    }

    assertThat(restFixture.get("/sites").statusCode()).isEqualTo(200);
  }

  @Test
  void halfASurrogatePairIsNoText() throws Exception {
    byte[] body = SITE.formatted("\\ud83d").getBytes(StandardCharsets.UTF_8);

    HttpResponse<byte[]> answer = site(body);

    assertThat(answer.statusCode()).isEqualTo(400);
    assertThat(RestFixture.body(answer).get("detail").asText()).contains("an unpaired surrogate");
  }

  @Test
  void whatIsShownOfALongTextEndsBetweenCharacters() throws Exception {
    String endpoint = "x".repeat(79) + "😀".repeat(20);

    HttpResponse<byte[]> answer =
        site("{\"endpoints\": [\"%s\"]}".formatted(endpoint).getBytes(StandardCharsets.UTF_8));

    JsonNode problem = RestFixture.body(answer);
    assertThat(answer.statusCode()).isEqualTo(422);
    assertThat(problem.get("got").asText()).isEqualTo("x".repeat(79) + "…");
  }

  private int raw(String target) throws Exception {
    URI service = restFixture.service.address();
    try (Socket socket = new Socket(service.getHost(), service.getPort())) {
      String head = "GET " + target + " HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(head.getBytes(StandardCharsets.UTF_8));
      return RawHttp.status(socket);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/sites/😀", "/sites/%４１", "/sites/é"})
  void whatIsNotAsciiIsNotTakenUnescapedInAPath(String target) throws Exception {
    assertThat(raw(target)).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(strings = {"%４１", "%C3%28", "%", "%4", "%+1"})
  void whatIsNoEscapeIsNotTakenForOne(String prefix) throws Exception {
    assertThat(raw("/caches/c/entries?prefix=" + prefix)).isEqualTo(400);
  }
}
