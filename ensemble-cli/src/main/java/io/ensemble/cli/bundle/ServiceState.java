package io.ensemble.cli.bundle;

import io.ensemble.check.process.CommandException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What a running service reports of itself: over REST, and by its process on this machine. */
final class ServiceState {

  private static final Duration LONGEST = Duration.ofSeconds(10);
  private static final int LARGEST_BODY_BYTES = 16 << 20;

  private ServiceState() {}

  /**
   * The response of a service to GET.
   *
   * @param service such as {@code http://127.0.0.1:7460}; clear text only on this machine if there
   *     is a token
   * @param token the bearer token; null for none
   * @throws IOException if there is no complete response within 10 s, another one than 200, or one
   *     of more than 16 MiB
   */
  static String get(String service, String path, @Nullable String token) throws IOException {
    return get(service, path, token, LONGEST, LARGEST_BODY_BYTES);
  }

  static String get(
      String service, String path, @Nullable String token, Duration longest, int largestBody)
      throws IOException {
    URI address;
    try {
      address = URI.create(service.replaceAll("/+$", "") + path);
    } catch (IllegalArgumentException e) {
      throw new CommandException("invalid address of a service: '%s'".formatted(service), e);
    }
    if (token != null && !"https".equals(address.getScheme()) && !isLoopback(address.getHost())) {
      throw new IOException("the token is not sent in clear text to another machine");
    }
    HttpRequest.Builder request = HttpRequest.newBuilder(address).timeout(longest).GET();
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    long end = System.nanoTime() + longest.toNanos();
    HttpClient client = HttpClient.newBuilder().connectTimeout(longest).build();
    try {
      HttpResponse<InputStream> response =
          client.send(request.build(), BodyHandlers.ofInputStream());
      try (InputStream body = response.body()) { // Closing it also ends a read that hangs.
        if (response.statusCode() != 200) {
          throw new IOException("%s answers with status %d".formatted(path, response.statusCode()));
        }
        byte[] read =
            inBackground("bundle-service", () -> body.readNBytes(largestBody + 1))
                .get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (read.length > largestBody) {
          throw new IOException("%s answers with more than %,d bytes".formatted(path, largestBody));
        }
        return new String(read, StandardCharsets.UTF_8);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } catch (TimeoutException e) {
      throw new IOException(
          "%s has no complete answer within %d ms".formatted(path, longest.toMillis()), e);
    } catch (ExecutionException e) {
      throw new IOException("the answer of %s cannot be read".formatted(path), e.getCause());
    }
  }

  private static <T> CompletableFuture<T> inBackground(String name, Callable<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(work.call());
              } catch (Exception e) {
                result.completeExceptionally(e);
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
    return result;
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
      CompletableFuture<String> read =
          inBackground(
              "bundle-jcmd",
              () -> new String(jcmd.getInputStream().readNBytes(8 << 20), StandardCharsets.UTF_8));
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
