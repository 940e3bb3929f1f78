package io.ensemble.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.federation.SiteDescriptor;
import io.ensemble.check.federation.SiteSecurity;
import io.ensemble.check.process.ExitCode;
import io.ensemble.check.process.JsonOutput;
import io.ensemble.testkit.embedded.EmbeddedFederation;
import io.ensemble.testkit.embedded.EmbeddedSecurity;
import io.ensemble.testkit.embedded.PasswordOverTls;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every command on sites that require a password inside TLS; a file says where the password is. */
class SecuredSitesIT {

  @TempDir static Path directory;
  private static PasswordOverTls security;
  private static EmbeddedFederation federation;
  private static Path sites;

  @BeforeAll
  static void start() throws IOException {
    security = EmbeddedSecurity.passwordOverTls("ada", "hush-1", directory);
    federation =
        EmbeddedFederation.start(
            EmbeddedFederation.Options.defaults()
                .withSiteNames("lyon", "oslo")
                .withNodesPerSite(1)
                .withSecurity(security));
    Files.writeString(directory.resolve("password"), "hush-1\n");
    Files.writeString(directory.resolve("wrong"), "hush-2\n");
    Files.writeString(directory.resolve("trust"), security.trustStorePassword());
    sites = written("sites.json", "password", "localhost");
  }

  @AfterAll
  static void stop() {
    federation.close();
  }

  @Test
  void aKeyIsWrittenAndReadAndRemoved() {
    writeReadAndRemove("mwmr");
  }

  @Tag("nightly")
  @Test
  void aKeyOfAWeakCacheIsWrittenAndReadAndRemoved() {
    writeReadAndRemove("weak");
  }

  private void writeReadAndRemove(String mode) {
    // The first connections over TLS are slow on a busy machine.
    ok("created", "caches", "create", mode, "--mode", mode, "--deadline", "60s");
    ok("written", "put", mode, "k", "v", "--deadline", "60s");
    ok("v", "get", mode, "k", "--deadline", "60s");
    ok("removed", "remove", mode, "k", "--deadline", "60s");
    ok("CACHE", "caches", "list");
    ok("cache ", "caches", "describe", mode);
    ok("deleted", "caches", "delete", mode);
  }

  @Test
  void theSitesAnswerAndAcceptWhoAsks() throws IOException {
    JsonNode told = run(sites, "sites", "--json").json().get("sites");

    assertThat(told).hasSize(2);
    assertThat(told)
        .allSatisfy(
            site -> {
              assertThat(site.get("reachable").asBoolean()).isTrue();
              assertThat(site.at("/login/user").asText()).isEqualTo("ada");
              assertThat(site.at("/login/accepted").asBoolean()).isTrue();
            });
    assertThat(run(sites, "sites").out()).contains("as ada");
  }

  @Test
  void aWrongPasswordIsRefusedAndNeverShown() throws IOException {
    Path wrong = written("wrong.json", "wrong", "localhost");

    CliResult told =
        await("it says why, which a busy machine may not have in time")
            .atMost(Duration.ofSeconds(90))
            .until(() -> run(wrong, "sites"), ran -> ran.out().contains("Invalid credentials"));
    CliResult created = run(wrong, "caches", "create", "never", "--mode", "mwmr");

    assertThat(told.code()).isEqualTo(ExitCode.FAILED);
    assertThat(told.out()).contains("as ada", "no", "Invalid credentials");
    assertThat(created.code()).isEqualTo(ExitCode.FAILED);
    assertThat(created.err()).contains("NOT_ALLOWED", "Invalid credentials");
    assertThat(told.out() + told.err() + created.err()).doesNotContain("hush");
  }

  @Test
  void noLogTellsASecretThoughEverythingIsLogged() throws IOException {
    Path wrong = written("logged.json", "wrong", "localhost");
    StringBuffer logged = new StringBuffer();
    List<String> told = new ArrayList<>();

    try (AutoCloseable listening = everythingTo(logged)) {
      // Connections are slow while everything is logged.
      await("the value is written")
          .atMost(Duration.ofMinutes(2))
          .until(
              () -> {
                told.add(run(sites, "caches", "create", "logged", "--mode", "mwmr").toString());
                told.add(run(sites, "put", "logged", "k", "a-value-of-the-user").toString());
                return told.get(told.size() - 1).contains("written");
              });
      told.add(run(wrong, "sites", "--json").toString());
      told.add(run(wrong, "put", "logged", "k", "a-value-of-the-user").toString());
    } catch (Exception e) {
      throw new AssertionError(e);
    }

    assertThat(logged).contains("FINEST").hasSizeGreaterThan(10_000);
    assertThat(logged.toString()).doesNotContain("hush-");
    assertThat(String.join(" ", told)).contains("written", "NOT_ALLOWED").doesNotContain("hush-");
  }

  /** Appends every log record of this JVM, of clients and servers, with its formatted message. */
  private static AutoCloseable everythingTo(StringBuffer logged) {
    Logger root = Logger.getLogger("");
    Level before = root.getLevel();
    Handler[] others = root.getHandlers();
    Handler ears =
        new Handler() {
          private final SimpleFormatter formatter = new SimpleFormatter();

          @Override
          public void publish(LogRecord record) {
            // Without the caller, which costs a stack walk for each of many records.
            logged.append(record.getLevel()).append(' ').append(formatter.formatMessage(record));
            Throwable thrown = record.getThrown();
            if (thrown != null) {
              StringWriter stack = new StringWriter();
              thrown.printStackTrace(new PrintWriter(stack));
              logged.append(' ').append(stack);
            }
            Object[] parameters = record.getParameters();
            logged.append(parameters == null ? "" : Arrays.deepToString(parameters));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    ears.setLevel(Level.ALL);
    Stream.of(others).forEach(root::removeHandler);
    root.addHandler(ears);
    root.setLevel(Level.ALL);
    return () -> {
      root.setLevel(before);
      root.removeHandler(ears);
      Stream.of(others).forEach(root::addHandler);
    };
  }

  @Test
  void aCertificateOfAnotherNameIsNotTrusted() throws IOException {
    CliResult told = run(written("other.json", "password", "elsewhere.example"), "sites", "--json");

    assertThat(told.code()).isEqualTo(ExitCode.FAILED);
    JsonNode lyon = told.json().at("/sites/0");
    assertThat(lyon.get("reachable").asBoolean()).isFalse();
    assertThat(lyon.at("/nodes/0/error").asText())
        .contains("the TLS certificate is not trusted", "elsewhere");
    assertThat(lyon.get("login").isNull()).isTrue();
  }

  private static Path written(String name, String password, String certificate) throws IOException {
    List<SiteDescriptor> places = new ArrayList<>();
    federation
        .sites()
        .forEach(
            site ->
                places.add(
                    new SiteDescriptor(
                        site.name(),
                        site.endpoints().stream()
                            .map(at -> at.getHostString() + ":" + at.getPort())
                            .toList(),
                        new SiteSecurity.User("ada", password, null, null),
                        new SiteSecurity.Trust(
                            security.trustStore().toString(), "trust", null, certificate))));
    return Files.write(
        directory.resolve(name), JsonOutput.mapper().writeValueAsBytes(Map.of("sites", places)));
  }

  private static void ok(String shown, String... arguments) {
    CliResult ran = run(sites, arguments);
    assertThat(ran.err()).isEmpty();
    assertThat(ran.out()).startsWith(shown);
    assertThat(ran.code()).isZero();
  }

  private static CliResult run(Path file, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--federation", file.toString()));
    return CliResult.ensemble(all);
  }
}
