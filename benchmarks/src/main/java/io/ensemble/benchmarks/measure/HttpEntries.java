package io.ensemble.benchmarks.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/**
 * Entries over HTTP/1.1, with as many persistent connections as there are calling threads.
 * Thread-safe.
 *
 * @param all the address to which a key is appended
 * @param client an unshared client
 */
record HttpEntries(URI all, HttpClient client) {

  private static final String TYPE = "application/octet-stream";

  /** With a client of its own. */
  HttpEntries(URI all) {
    this(all, HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build());
  }

  /** The bytes of an existing key. Blocks. */
  byte[] get(String key) {
    HttpResponse<byte[]> answer = call(key, HttpRequest.newBuilder().header("Accept", TYPE).GET());
    if (answer.statusCode() != 200) {
      throw unexpected(key, answer);
    }
    return answer.body();
  }

  /** Stores bytes under a key. Blocks. */
  void put(String key, byte[] value) {
    HttpResponse<byte[]> answer =
        call(
            key,
            HttpRequest.newBuilder()
                .header("Content-Type", TYPE)
                .PUT(BodyPublishers.ofByteArray(value)));
    if (answer.statusCode() / 100 != 2) {
      throw unexpected(key, answer);
    }
  }

  private HttpResponse<byte[]> call(String key, HttpRequest.Builder request) {
    try {
      return client.send(request.uri(all.resolve(key)).build(), BodyHandlers.ofByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException("no answer; at=" + all.resolve(key), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for an answer", e);
    }
  }

  private IllegalStateException unexpected(String key, HttpResponse<byte[]> answer) {
    return new IllegalStateException(
        "expected a successful response; at=%s got=%d"
            .formatted(all.resolve(key), answer.statusCode()));
  }
}
