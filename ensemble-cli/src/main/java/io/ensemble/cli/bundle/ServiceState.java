package io.ensemble.cli.bundle;

import io.ensemble.check.process.CommandException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What a running service reports of itself: over REST, and by its process on this machine. */
final class ServiceState {

  private static final Duration LONGEST = Duration.ofSeconds(10);

  private ServiceState() {}

  /**
   * The response of a service to GET.
   *
   * @param service such as {@code http://127.0.0.1:7460}; clear text only on this machine if there
   *     is a token
   * @param token the bearer token; null for none
   * @throws IOException if there is no response in time, or another one than 200
   */
  static String get(String service, String path, @Nullable String token) throws IOException {
    URI address;
    try {
      address = URI.create(service.replaceAll("/+$", "") + path);
    } catch (IllegalArgumentException e) {
      throw new CommandException("invalid address of a service: '%s'".formatted(service), e);
    }
    if (token != null && !"https".equals(address.getScheme()) && !isLoopback(address.getHost())) {
      throw new IOException("the token is not sent in clear text to another machine");
    }
    HttpRequest.Builder request = HttpRequest.newBuilder(address).timeout(LONGEST).GET();
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    try {
      HttpResponse<String> response =
          HttpClient.newBuilder()
              .connectTimeout(LONGEST)
              .build()
              .send(request.build(), BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IOException("%s answers with status %d".formatted(path, response.statusCode()));
      }
      return response.body();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Whether the address of a service is a loopback address of this machine. */
  static boolean isLocal(String service) {
    try {
      return isLoopback(URI.create(service).getHost());
    } catch (IllegalArgumentException | IOException noAddress) {
      return false;
    }
  }

  private static boolean isLoopback(@Nullable String host) throws IOException {
    return host != null && InetAddress.getByName(host).isLoopbackAddress();
  }

  /**
   * The threads of a Java process of this user on this machine, by the JDK's {@code jcmd}.
   *
   * @throws IOException if there is no such process, or no {@code jcmd} beside this Java
   */
  static String threads(long pid) throws IOException {
    Process jcmd =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(),
                String.valueOf(pid),
                "Thread.print")
            .redirectErrorStream(true)
            .start();
    try {
      jcmd.getOutputStream().close();
      CompletableFuture<String> read = new CompletableFuture<>();
      Thread reader =
          new Thread(
              () -> {
                try {
                  read.complete(
                      new String(
                          jcmd.getInputStream().readNBytes(8 << 20), StandardCharsets.UTF_8));
                } catch (IOException e) {
                  read.completeExceptionally(e);
                }
              },
              "bundle-jcmd");
      reader.setDaemon(true);
      reader.start();
      if (!jcmd.waitFor(LONGEST.toSeconds(), TimeUnit.SECONDS)) {
        throw new IOException("no threads within %d s; pid=%d".formatted(LONGEST.toSeconds(), pid));
      }
      String threads = read.get(LONGEST.toSeconds(), TimeUnit.SECONDS);
      if (jcmd.exitValue() != 0) {
        throw new IOException("no such Java process of this user; pid=" + pid);
      }
      return threads;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (ExecutionException | TimeoutException e) {
      throw new IOException("the threads cannot be read; pid=" + pid, e);
    } finally {
      jcmd.destroyForcibly();
    }
  }
}
