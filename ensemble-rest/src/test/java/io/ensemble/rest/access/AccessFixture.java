package io.ensemble.rest.access;

import io.ensemble.rest.audit.AuditLog;
import io.ensemble.rest.identity.SigningKeys;
import io.ensemble.rest.identity.SigningKeys.Pace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateEncodingException;
import java.util.Base64;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** A service with an access file; users named ada and members of the group ops may read. */
final class AccessFixture implements AutoCloseable {

  /** The resource lock of the log; tests that read it or write to it take turns. */
  static final String LOG = "log of signing keys";

  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final String POLICY =
      """
      {"grants": [{"who": ["jwt:ada", "claim:groups=ops"], "federation": ["read"]}]}""";

  private final Said said = new Said();
  private final ReusableRestService reusableRestService;
  private final AccessControl accessControl;

  /**
   * @param reusableRestService the service
   * @param directory where the file, its policy and {@link Issuer#AUTHORITY} ({@code ca.pem}) are
   * @param text of the file
   */
  AccessFixture(
      ReusableRestService reusableRestService,
      Path directory,
      String text,
      Pace pace,
      LongSupplier nanoTime) {
    this.reusableRestService = reusableRestService;
    accessControl = AccessControl.of(file(directory, text), AuditLog::new, pace, nanoTime);
  }

  static Path file(Path directory, String text) {
    try {
      Files.writeString(directory.resolve("policy.json"), POLICY);
      Files.writeString(
          directory.resolve("ca.pem"),
          "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
              .formatted(
                  Base64.getMimeEncoder()
                      .encodeToString(Issuer.AUTHORITY.certificate().getEncoded())));
      return Files.writeString(directory.resolve("access.json"), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (CertificateEncodingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** An access file for tokens of {@code issuer}, with the further settings {@code more}. */
  static String jwt(String issuer, String more) {
    return """
        {"policy": "policy.json", "jwt": {"issuer": "%s", "audiences": ["ensemble", "grid"],
         "algorithms": ["RS256", "ES256", "PS256"], "marks": ["groups"]%s}}"""
        .formatted(issuer, more);
  }

  HttpResponse<String> ask(String token) throws IOException, InterruptedException {
    return CLIENT.send(request(token), BodyHandlers.ofString());
  }

  int status(String token) throws IOException, InterruptedException {
    return ask(token).statusCode();
  }

  /** An answer that the test does not wait for yet. */
  CompletableFuture<Integer> later(String token) {
    return CLIENT
        .sendAsync(request(token), BodyHandlers.discarding())
        .thenApply(HttpResponse::statusCode);
  }

  private HttpRequest request(String token) {
    return HttpRequest.newBuilder(
            URI.create(reusableRestService.address(accessControl.requestAuthorizer()) + "/sites"))
        .header("Authorization", "Bearer " + token)
        .build();
  }

  /** The log lines about keys. */
  Collection<String> log() {
    return said.lines;
  }

  @Override
  public void close() {
    accessControl.close();
    said.close();
  }

  private static final class Said extends Handler {

    private final Logger logger = Logger.getLogger(SigningKeys.class.getName());
    private final Collection<String> lines = new ConcurrentLinkedQueue<>();

    Said() {
      logger.addHandler(this);
      logger.setUseParentHandlers(false);
    }

    @Override
    public void publish(LogRecord line) {
      lines.add(line.getLevel() + " " + line.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
      logger.setUseParentHandlers(true);
    }
  }
}
