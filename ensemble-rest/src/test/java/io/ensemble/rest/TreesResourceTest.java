package io.ensemble.rest;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** A tree through the service. */
@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class TreesResourceTest {

  private static final String TREE = "/caches/c/trees/t";
  private static final byte[] NONE = {};

  private final RestFixture restFixture = new RestFixture();

  @BeforeEach
  void create() throws Exception {
    restFixture.json(
        "POST",
        "/caches",
        "{\"name\": \"c\", \"consistency\": \"MWMR\", \"replication\": 3, \"deadlineMillis\":"
            + " 3000}");
  }

  @AfterEach
  void close() throws Exception {
    restFixture.close();
  }

  private HttpResponse<byte[]> change(String body) throws Exception {
    return restFixture.call(
        "POST", TREE + "/transactions", body.getBytes(), "Content-Type", "application/json");
  }

  private HttpResponse<byte[]> get(String path) throws Exception {
    return restFixture.call("GET", TREE + path, NONE);
  }

  private static JsonNode json(HttpResponse<byte[]> response, int status) throws Exception {
    assertThat(response.statusCode()).as(new String(response.body())).isEqualTo(status);
    return new ObjectMapper().readTree(response.body());
  }

  @Test
  void nodesAreChangedInOneTransaction() throws Exception {
    json(get("/node?path=/a"), 404);
    JsonNode made =
        json(
            change(
                "{\"steps\": [{\"op\": \"write\", \"path\": \"/a/b\", \"text\": \"x\"},"
                    + " {\"op\": \"create\", \"path\": \"/a/c\", \"base64\": \"/w==\"}]}"),
            200);
    assertThat(made.get("commit").asLong()).isEqualTo(2);

    JsonNode node = json(get("/node?path=/a/b"), 200);
    assertThat(node.get("text").asText()).isEqualTo("x");
    assertThat(node.get("modified").asLong()).isEqualTo(2);
    assertThat(json(get("/node?path=/a/c"), 200).get("base64").asText()).isEqualTo("/w==");
    JsonNode children = json(get("/children?path=/a&limit=1"), 200);
    assertThat(children.get("children").get(0).asText()).isEqualTo("b");
    assertThat(children.get("more").asBoolean()).isTrue();
    assertThat(json(get("/children?path=/a&after=b"), 200).get("children")).hasSize(1);
    assertThat(json(get("/children"), 200).get("children").get(0).asText()).isEqualTo("a");

    String checked =
        "{\"checks\": [{\"path\": \"/a/b\", \"modified\": 2}, {\"path\": \"/z\", \"modified\": 0}],"
            + " \"steps\": [{\"op\": \"write\", \"path\": \"/a/b\", \"text\": \"y\"}, {\"op\":"
            + " \"remove\", \"path\": \"/a/c\"}]}";
    assertThat(json(change(checked), 200).get("commit").asLong()).isEqualTo(3);
    assertThat(json(change(checked), 412).get("path").asText()).isEqualTo("/a/b");
    assertThat(json(get("/node?path=/a/b"), 200).get("text").asText()).isEqualTo("y");
    json(change("{\"steps\": [{\"op\": \"create\", \"path\": \"/a\", \"text\": \"\"}]}"), 409);
  }

  @Test
  void mistakesAreNamed() throws Exception {
    for (String body :
        new String[] {
          "{}",
          "{\"steps\": []}",
          "{\"steps\": [{\"op\": \"write\", \"path\": \"a\", \"text\": \"x\"}]}",
          "{\"steps\": [{\"op\": \"write\", \"path\": \"/a\"}]}",
          "{\"steps\": [{\"op\": \"write\", \"path\": \"/a\", \"base64\": \"?\"}]}",
          "{\"steps\": [{\"op\": \"remove\", \"path\": \"/\"}]}",
          "{\"steps\": [{\"op\": \"remove\", \"path\": \"/a\", \"text\": \"x\"}]}",
          "{\"steps\": [{\"op\": \"move\", \"path\": \"/a\"}]}",
          "{\"checks\": [{\"path\": \"/a\"}], \"steps\": [{\"op\": \"remove\", \"path\": \"/a\"}]}"
        }) {
      json(change(body), 422);
    }
    json(get("/node"), 422);
    json(get("/node?path=/a//b"), 422);
    json(get("/children?path=/&limit=0"), 422);
  }

  @Test
  void entriesOfATreeAreNoEntriesOfOthers() throws Exception {
    json(change("{\"steps\": [{\"op\": \"write\", \"path\": \"/a\", \"text\": \"x\"}]}"), 200);

    HttpResponse<byte[]> written =
        restFixture.call(
            "PUT", "/caches/c/entries/tree%2Fx", "y".getBytes(), "Content-Type", "text/plain");
    assertThat(written.statusCode()).isEqualTo(422);
  }
}
