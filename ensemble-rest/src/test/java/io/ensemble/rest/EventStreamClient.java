package io.ensemble.rest;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.rest.json.StrictJson;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A client of server-sent events. */
final class EventStreamClient implements AutoCloseable {

  record Event(String id, String name, JsonNode data) {
    boolean is(String section, String thing) {
      return name.equals(section) && data.get("name").asText().equals(thing);
    }
  }

  private final HttpResponse<InputStream> answer;
  private final BufferedReader lines;
  String position = "";

  private EventStreamClient(HttpResponse<InputStream> answer) {
    this.answer = answer;
    this.lines = new BufferedReader(new InputStreamReader(answer.body(), StandardCharsets.UTF_8));
  }

  static EventStreamClient from(URI service, String query, String... headers)
      throws IOException, InterruptedException {
    return at(service, "/events" + query, headers);
  }

  static EventStreamClient at(URI service, String path, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(service + path));
    if (headers.length > 0) {
      request.headers(headers);
    }
    return new EventStreamClient(
        HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofInputStream()));
  }

  int status() {
    return answer.statusCode();
  }

  /** The next event that is no heartbeat; one without a name at the end of the stream. */
  Event next() {
    Event event = any();
    while (event.name().equals("beat")) {
      event = any();
    }
    return event;
  }

  /** The next event, heartbeats included. */
  Event any() {
    String id = position;
    String name = "";
    for (String line = line(); line != null; line = line()) {
      if (line.startsWith("id: ")) {
        id = line.substring(4);
      } else if (line.startsWith("event: ")) {
        name = line.substring(7);
      } else if (line.startsWith("data: ")) {
        position = id;
        return new Event(
            id, name, StrictJson.parse(line.substring(6).getBytes(StandardCharsets.UTF_8)));
      }
    }
    return new Event(id, "", StrictJson.parse("{}".getBytes(StandardCharsets.UTF_8)));
  }

  /** Null at the end of the stream, or if the connection is cut. */
  private @Nullable String line() {
    try {
      return lines.readLine();
    } catch (IOException cut) {
      return null;
    }
  }

  Event until(Predicate<Event> wanted) {
    Event event = next();
    while (!event.name().isEmpty() && !wanted.test(event)) {
      event = next();
    }
    return event;
  }

  @Override
  public void close() throws IOException {
    answer.body().close();
  }
}
